"""Checks of records against rules; checks take values and yield problems.

Some checks read a file again to find the line of a value. Readers check the remaining rules.

One bundle: `expected` compares its records with the records that its track expects, `track_checks`
with the track's other conditions, and `cases` its failed cases with its rounds; `costs` and
`provenance` check its statements about its runs, and `dates` checks all dates. One benchmark:
`document_breaches` checks names in its TOML files, `declared_metrics` its metrics, and `addresses`
and `redirects` its addresses. Several bundles: `anomalies` finds unusual results on a track,
`identity` finds agents with two names, `statuses` finds wrong replacements of submissions, and
`carried` and `revision_checks` find differences from an earlier submission. Read `expected` first.
"""
