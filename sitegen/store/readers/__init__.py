"""Readers of a results folder and its parts; each returns a record and every problem.

Readers check some rules themselves, and call `checks` for the other rules.

`folder.read_results` reads and compares all results: read it first. It calls `benchmarks` for the
definition and the task sets, `bundles.read_bundle` for each submission, `reported_tables`,
`findings`, `agents` and `releases` for the files of these names, and `journals` for arrivals,
checks and registrations. `embargo` removes submissions that may not be shown yet.
"""
