"""Find the leaderboard project around a folder, create a new one, and package the program.

`project` finds a project and its files, `new_project` creates the files of a new project, and
`wheel` packs the running program for pip. Read `project.find_project` first.
"""
