"""Import tables of results, for every runner without an importer of its own.

A CSV, JSON, Parquet or Excel file goes in, and an `Incoming` comes out. Read `source.read_table`
first: `files` opens a file as a `tables.TableFile`, `columns` maps its columns to meanings, `rows`
collects the cells by column, `verdicts` and `assembly` make runs of them, which `runs` keeps by
column, too. `wide` turns wide tables into long ones, and `reported` reads published tables.
"""
