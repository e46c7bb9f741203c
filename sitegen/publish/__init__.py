"""Write sites, results folders, projects and branches, each completely or not at all.

In: pages as text, records, and the settings of a project. Out: folders, TOML and JSON, archives and
commits. `machine` replaces folders and runs programs, `projects` finds and creates leaderboard
projects, `results` writes the files of a results folder, and `site` writes the files of a site.
`results` and `site` import `projects` and `machine`, but not each other. Read
`machine.transaction.transaction` first, then `site.tree.replace_site`.
"""
