"""Checks of what was read against rules; they take values and yield problems.

Some read a file again to say at which line a value is. Other rules are checked by the readers.

One bundle: `expected` compares its records with those that its track expects, `track_checks` with
the track's other conditions, `cases` its failed cases with its rounds; `costs` and `provenance`
check what it says of its runs, and `dates` checks all dates. One benchmark: `document_breaches` has
checks of names in its TOML files, `declared_metrics` checks its metrics, and `addresses` and
`redirects` check addresses. Bundles beside each other: `anomalies` finds what is unusual on a
track, `identity` two names of one agent, `statuses` wrong replacements of submissions, `carried`
and `revision_checks` what differs from an earlier submission. Read `expected` first.
"""
