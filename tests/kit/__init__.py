"""Helpers that several tests share; each module is named for what it builds or reads.

`random_boards` writes results folders drawn from a seed. `results_files` reads such a folder and
scores it a second time, in plain Python that shares no code with the program, and `rank_tests`
tests the order. `board_outputs` gathers what the program says of the same folder. `board_checks`,
`page_checks` and `change_checks` hold one against the other, sentences by the patterns in
`board_sentences`; `board_faults.faults_of` runs them all, and is the function to read first.

`requests` makes pull requests of honest changes, some with one that the gate has to refuse.
`slow_servers` has servers that only a deadline ends.
"""
