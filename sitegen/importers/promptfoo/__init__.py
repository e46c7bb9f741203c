"""The importer of results of promptfoo: what `promptfoo eval -o` writes as JSON, JSON Lines or CSV.

`source` reads a folder or a file and returns bundles; `files` finds the files of a source and
tells their kinds apart; `json_results`, with `rows`, and `csv_results` read them into the values of
`records`; `tests` names test cases and finds the ones that were repeated; `providers` names agents.
"""
