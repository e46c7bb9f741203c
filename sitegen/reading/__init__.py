"""Opens files that others wrote, the only part that does: TOML, JSON, JSON Lines and CSV, with all that is wrong."""
