"""Import simulation files of tau2-bench, and result lists of the older tau-bench.

Input: a file or a folder of such files. Output: an `Incoming` with one bundle per agent. Read
`source.read_tau2` first. `files` finds and reads the files; `simulations` parses one simulation of
either tool, from fields that may be missing (`fields`); `checks` parses its checks, which become
cases; `settings` parses the agent and the conditions of the run. `rules` lists the possible
problems.
"""
