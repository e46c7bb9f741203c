"""Checks of records against rules; they take values and yield problems.

Some checks read a file again to find the line of a value. Other rules are checked by the readers.

One bundle: `expected` compares its records with those that its track expects, `track_checks` with
the track's other conditions, and `cases` its failed cases with its rounds; `costs` and `provenance`
check its statements about its runs, and `dates` checks all dates. One benchmark:
`document_breaches` checks names in its TOML files, `declared_metrics` its metrics, and `addresses`
and `redirects` its addresses. Several bundles: `anomalies` finds unusual results on a track,
`identity` an agent with two names, `statuses` wrong replacements of submissions, and `carried` and
`revision_checks` differences from an earlier submission. Read `expected` first.
"""
