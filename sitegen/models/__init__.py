"""The records of a results folder as types: benchmarks, tasks, submissions, rounds and findings.

`sitegen.reading` parses files into these types, which are frozen and checked once, when they are
read; every later stage takes them as they are. Nothing in this package opens a file.
Read `outcome.RoundResult` first, then `submission.Submission`, `benchmark.Benchmark` and
`results.Results`, which contains everything in a folder.
"""
