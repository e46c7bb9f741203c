"""Write the files of a results folder, and its public edition.

In: records, and files that people wrote. Out: bytes, for a transaction or a branch. `records`
writes them as TOML and JSON Lines and adds to TOML that people wrote, `benchmarks` makes bundles
and what lies beside them, and `repairs` corrects files in place. `edition` replaces what is private
about tasks, with `edition_digests` for releases, and `embargoed_files` leaves out submissions under
embargo. `file_names` has the names of the files. `branches` commits changes. Read
`benchmarks.bundle_files` first.
"""
