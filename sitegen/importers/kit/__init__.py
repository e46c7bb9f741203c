"""Provide the code that all importers share: options, agents, rounds, import logs and merging.

An importer walks the source with `tree`, reads its files with `json_source`, `stream` or `lines`,
and collects `rounds.AgentResults` for each agent in a `rounds.ImportSource`. Its method `imported`
turns the results into an `Incoming`, and `merge.merge` fits the import into a benchmark, which may
already exist. `import_log` collects the problems. Read `rounds.ImportSource` first.
"""
