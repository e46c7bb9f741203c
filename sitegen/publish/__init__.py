"""Write what people keep: sites, results folders, projects and branches, completely or not at all.

In: pages as text, records, and the settings of a project. Out: folders, TOML and JSON, archives
and commits. `machine` replaces folders and runs programs, `projects` finds and begins leaderboard
projects, `results` writes what a results folder holds, and `site` what visitors of a site see.
`results` and `site` import `projects` and `machine`, but not each other. Read
`machine.transaction.transaction` first, then `site.tree.replace_site`.
"""
