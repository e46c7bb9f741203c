"""Comparison of two states of a results folder: who changed what, and whether it is allowed.

`history.history_problems` yields all problems, including the problems from `journal_history`: read
it first. Its rules are in `history_rules`. `matching` pairs the submissions of both states, and
`changed_parts.read_request` lists all changes, with `changed_definition` and `changed_agents` for
two files, `benchmark_states` for facts about both states, and `authors` for the author of the
request. `ownership` decides who may make each change. `file_differences` describes differences in
words, `manifest_states` defines the allowed changes of a manifest, and `limited_findings` finds the
published findings that may be limited to earlier tracks.
"""
