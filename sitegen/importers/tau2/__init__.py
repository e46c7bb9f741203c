"""The importer of simulation files of tau2-bench, and of result lists of the older tau-bench.

`source` reads a folder or a file and returns bundles; `files` finds the files of a source and
reads them; `simulations` makes one value of each simulation, whichever tool wrote it; `checks`
are the cases of a simulation; `settings` say who ran and under which conditions.
"""
