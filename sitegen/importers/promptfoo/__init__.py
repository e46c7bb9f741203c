"""Import results of promptfoo: JSON, JSON Lines, YAML or CSV of `promptfoo eval -o`.

Input: a file or a folder of such files. Output: an `Incoming` with one bundle for each provider and
prompt, and one task for each test. Read `source.read_promptfoo` first. `files` finds the files;
`json_results` (with `rows`) and `csv_results` parse them into the values of `records`; `tests`
names test cases and detects repeated tests; `providers` names agents. `rules` lists the possible
problems.
"""
