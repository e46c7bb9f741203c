"""Import simulation files of tau2-bench, and result lists of the older tau-bench.

In: a file or a folder of such files. Out: an `Incoming` with one bundle for each agent.
Read `source.read_tau2` first. `files` finds and reads the files; `simulations` parses one
simulation, whichever tool wrote it, from fields that may be missing (`fields`); `checks` parses
its checks, which become cases; `settings` parses who ran, and under which conditions. `rules` lists
what may be wrong.
"""
