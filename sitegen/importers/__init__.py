"""Import benchmark results that other tools wrote.

Each package here reads one foreign format, and `kit` contains the code that they share. Input: a
folder or file. Output: an `Incoming` (benchmark, task sets, bundles, problems, notes), which
`store` can write. Importers never write to disk. Read `formats.load_format` first, then
`table.source`.
"""
