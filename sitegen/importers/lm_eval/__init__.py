"""The importer of what the lm-evaluation-harness writes."""
