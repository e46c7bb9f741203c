"""The work of each command: the only package that calls more than one stage.

The functions take the folders, dates and options that `cli` parsed. They return immutable values
for `cli` to print, and write either all files or none. `evaluating` reads, scores and checks
results for all commands, `building` and `writing` make the site, `importing` adds results, and most
other modules are named after the command that they implement. Read `evaluating.evaluate` first,
then `building.build`.
"""
