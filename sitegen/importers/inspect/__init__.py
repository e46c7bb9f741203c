"""The importer of logs of Inspect."""
