"""Write the files of a results folder, and its public edition.

In: records, and hand-written files. Out: bytes, for a transaction or a branch. `records` writes
records as TOML and JSON Lines and adds to hand-written TOML, `benchmarks` creates bundles and the
other files of a benchmark, and `repairs` corrects files in place. `edition` replaces private
details of tasks, with `edition_digests` for releases, and `embargoed_files` leaves out submissions
under embargo. `file_names` defines the names of the files. `branches` commits changes. Read
`benchmarks.bundle_files` first.
"""
