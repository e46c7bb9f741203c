"""Write what people keep: sites, results folders, projects and branches, completely or not at all.

In: pages as text, records, and the settings of a project. Out: folders, TOML and JSON, archives
and commits. `machine` replaces folders and runs programs, `projects` finds and begins leaderboard
projects, `results` writes what a results folder holds, and `site` what visitors of a site see. Both
import only the other two. Read `machine.transaction.transaction` first, then
`site.tree.replace_site`.
"""
