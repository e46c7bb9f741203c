"""Import the job and trial folders that Harbor, the multi-step runner, writes.

A folder of jobs goes in; an `Incoming` with one bundle per agent comes out. `trials` reads the
folders (`records` has their files), `tasks` the task definitions, `identities` finds who ran,
`duplicates` which trials are copies, and `runs` decides which trials count. `rounds` (with
`rewards`, `causes`, `reward_log`, `cases` and `transcript`) scores their rounds, and `bundles`
puts them on tracks. `rules` lists what may be wrong. Read `source.read_harbor` first.
`harbor_multiturn` shares most of these modules.
"""
