"""Find the leaderboard project around a folder, begin a new one, and pack the program for it.

`project` finds a project and its files, `new_project` makes the files of a new one, and `wheel`
packs the running program so that pip installs it. Read `project.find_project` first.
"""
