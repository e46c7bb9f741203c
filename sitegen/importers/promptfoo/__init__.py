"""Import results of promptfoo: what `promptfoo eval -o` writes as JSON, JSON Lines or CSV.

In: a file or a folder of such files. Out: an `Incoming` with one bundle for each provider and
prompt, and one task for each test. Read `source.read_promptfoo` first. `files` finds the files;
`json_results` (with `rows`) and `csv_results` parse them into the values of `records`; `tests`
names test cases and recognises repeated ones; `providers` names agents. `rules` lists what may be
wrong.
"""
