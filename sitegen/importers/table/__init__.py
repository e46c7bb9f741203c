"""The importer of tables of results, for every runner without an importer of its own.

Read `source.read_table` first. A file becomes a `tables.Table` (`files`, and a module for each kind
of file), whose first rows tell what its columns mean (`columns`). `rows` collects the cells by
columns, `verdicts` and `assembly` make runs of them, and `runs` keeps these by columns, too. `wide`
turns wide tables into long ones, and `reported` reads published tables.
"""
