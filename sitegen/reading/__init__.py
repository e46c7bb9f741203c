"""Reads files that other people wrote: TOML, JSON, JSON Lines, CSV, gzip and zip.

A path goes in; a record comes out, or every problem of the file with its line. Files are opened
here only, so that size limits and the refusal of links hold everywhere. Read `files.opened` first,
then `toml.read_toml` and `json.read_lines`; `shape` words problems, and `privacy` finds secrets.
"""
