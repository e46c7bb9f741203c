"""Write what people keep: sites, results folders, projects and branches, completely or not at all.

In: pages as text, records, and the settings of a project. Out: folders, TOML and JSON, archives
and commits. `transaction` replaces folders, `site` writes and links the files of a site, `builder`
runs the program for authored pages, `stamping` puts generated pages into its shell, and `cache`
keeps what the next build can reuse. Read `transaction.transaction` first, then `site.replacing`.
"""
