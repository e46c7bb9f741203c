"""Import the job and trial folders that Harbor, the multi-step runner, writes.

A folder of jobs goes in; an `Incoming` with one bundle per agent comes out. `trials` reads the
folders, `tasks` the task definitions, `runs` decides which trials count, `rounds` (with `verdicts`,
`reward_log`, `cases` and `trajectory`) scores their rounds, and `bundles` puts them on tracks. Read
`source.read_harbor` first. `harbor_multiturn` shares most of these modules.
"""
