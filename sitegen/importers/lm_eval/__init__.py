"""Import results of the lm-evaluation-harness.

In: a folder with files of results, and usually of the documents behind them. Out: an `Incoming`
with one bundle for each agent and one task for each document. Read `source.read_lm_eval` first.
`files` finds and reads the files; `agents` and `settings` say which agent ran; `documents` reads
the documents; `scores` chooses the reward, `scored` applies it, and `summary` compares the
harness's own figures; `runs`, or `reported` without documents, builds results.
"""
