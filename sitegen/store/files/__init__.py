"""The files of a results folder: their names, and functions that read them as written.

`layout` defines all names of files and folders, and finds files that do not belong there.
`readings` defines the type that readers return. `raw_documents` reads TOML and JSON Lines that need
not match a model, `failures` reads lists of failed cases with up to a million lines, and
`git_states` reads the state of a repository at a revision.
"""
