"""Import the job and trial folders that Harbor, the multi-step runner, writes.

Input: a folder of jobs. Output: an `Incoming` with one bundle per agent. `trials` reads the trial
folders (`records` defines their files), `tasks` the task definitions; `identities` finds the agent
of each trial, `duplicates` finds copies and regrades, and `runs` decides which trials count.
`rounds` (with `rewards`, `causes`, `reward_log`, `cases` and `transcript`) scores the rounds, and
`bundles` assigns the bundles to tracks. `rules` lists the possible problems. Read
`source.read_harbor` first. `harbor_multiturn` shares most of these modules.
"""
