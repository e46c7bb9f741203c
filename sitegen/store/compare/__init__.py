"""Comparison of two states of a results folder: who changed what, and whether they may.

`history.history_problems` yields all problems, with those of `journal_history`: read it first. Its
rules are in `history_rules`. `matching` pairs the submissions of both states, and
`changed_parts.read_request` lists all changes, with `changed_definition` and `changed_agents` for
two files, `benchmark_states` for facts about both states, and `authors` for who makes the request.
`ownership` says who may make each change. `file_differences` puts differences into words, and
`manifest_states` says what may change in a manifest, and `limited_findings` which published
findings may be limited to earlier tracks.
"""
