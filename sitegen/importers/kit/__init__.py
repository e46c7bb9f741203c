"""What all importers share: options, agents, rounds, the log of an import, and merging.

An importer walks the source with `tree`, reads its files with `json_source`, `stream` or `lines`,
and collects `rounds.AgentResults` for each agent in a `rounds.ImportSource`. Its method `imported`
makes an `Incoming` of them; `merge.merge` then fits it into a benchmark that may already exist.
`import_log` collects the problems. Read `rounds.ImportSource` first.
"""
