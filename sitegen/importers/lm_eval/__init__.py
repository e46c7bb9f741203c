"""Import results of the lm-evaluation-harness.

Input: a folder of results files, usually with the documents on which they are based. Output: an
`Incoming` with one bundle per agent and one task per document. Read `source.read_lm_eval` first.
`files` finds and reads the files; `agents` and `settings` identify the agents; `documents` reads
the documents; `scores` chooses the reward, `scored` applies it, and `summary` compares it with the
harness's own figures; `runs` builds the results, or `reported` if there are no documents.
"""
