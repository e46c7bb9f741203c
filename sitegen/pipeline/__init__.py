"""The work of each command: the only package that calls more than one stage.

The functions take folders, dates and options, as `cli` parsed them. They return frozen values for
`cli` to print, and write files completely or not at all. `evaluating` reads, scores and checks
results for all commands, `building` and `writing` make the site, `importing` adds results, and most
other modules are named after the command they serve. Read `evaluating.evaluate` first, then
`building.build`.
"""
