"""Write what people keep: sites, results folders, projects and branches, completely or not at all.

In: pages as text, records, and the settings of a project. Out: folders, TOML and JSON, archives
and commits. `transaction` replaces folders, `site` writes and links the files of a site, `authored`
runs the builder of authored pages, `stamping` fills its shell with generated pages, and `cache`
keeps what the next build can reuse. Read `transaction.transaction` first, then `site.replace_site`.
"""
