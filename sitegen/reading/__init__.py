"""Read files that other people wrote: TOML, JSON, JSON Lines, CSV, gzip and zip.

The functions take a path and return a record, or every problem of the file with its line. Files are
opened only here, so that size limits and the refusal of links apply everywhere. Read
`files.opened` first, then `toml.read_toml` and `json.read_lines`; `shape` describes problems, and
`privacy` finds secrets.
"""
