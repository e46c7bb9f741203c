"""Import tables of results, for every runner without an importer of its own.

A CSV, JSON, Parquet or Excel file goes in, and an `Incoming` comes out. Read `source.read_table`
first: `files` opens a file as a `tables.TableFile`, with `text_files`, `json_files`,
`parquet_files` and `excel_files` for the formats. `columns` maps its columns to meanings, `rows`
collects the cells by column as `cells` reads them (`values` parses one, `positions` numbers
attempts and rounds, `summaries` finds sums), and `agents` finds who ran. `verdicts` and `assembly`
make runs of them, which `runs` keeps by column, too. `wide` and `attempts` turn wide tables into
long ones, `metric_column` chooses the rows of one metric, `reported` reads published tables, and
`rules` lists what may be wrong.
"""
