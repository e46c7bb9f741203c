"""Import runs of Aider's benchmark.

Input: a folder of runs, each with a results file in the folder of every exercise. Output: an
`Incoming` with one bundle per model, edit format and reasoning setting, and one task per exercise.
Read `source.read_aider` first.
"""
