"""Helpers that several tests share; each module is named after what it builds or reads.

There is one way to create a board in memory, and one way to write results to disk:

- In memory: `boards.board(bundle("acme", "#.", "##"))` ranks bundles whose rounds are written as one
  mark each. `result_grids` defines the marks, and its `sheet` returns a single submission's results.
  `drawn_submissions` uses the same marks for tasks with labels.
- On disk: `results_folders.Tree(tmp_path)` writes a small valid folder, in which a test changes a
  detail. Its `write_benchmark` and `write_bundle` write files with checksums, and every module with
  results of its own uses them: `incomplete_results` (gaps), `benchmark_files` and
  `random_histories` (benchmarks to be changed), `random_results` and `random_boards` (drawn from a seed).

`random_boards` writes results folders drawn from a seed. `results_files` reads such a folder and scores it a second
time, in plain Python that shares no code with the program, and `rank_tests` tests the order. `board_outputs` collects
the program's output for the same folder. `board_checks`, `page_checks` and `change_checks` compare the two, and check
sentences with the patterns in `board_sentences`; `board_faults.faults_of` runs all checks, and is the function to read
first.

`requests` generates pull requests of honest changes, some of which include a change that must be refused.
`slow_servers` provides servers that only a deadline stops.
"""
