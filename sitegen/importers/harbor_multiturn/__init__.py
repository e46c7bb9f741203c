"""The importer of the run folders of Harbor's multi-turn fork."""
