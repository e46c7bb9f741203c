"""The files of a results folder: their names, and how they are read as they are written.

`layout` has all names of files and folders, and finds what does not belong there. `readings` has
the type that readers return. `raw_documents` reads TOML and JSON Lines that need not fit a model,
`failures` lists of failed cases with a million lines, and `git_states` what a repository had at a
revision.
"""
