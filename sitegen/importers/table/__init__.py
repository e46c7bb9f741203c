"""Import tables of results, for every runner without its own importer.

Input: a CSV, JSON, Markdown, Parquet or Excel file. Output: an `Incoming`. Read `source.read_table`
first: `files` opens a file as a `tables.TableFile`, with `text_files`, `markdown_files`,
`json_files`, `parquet_files` and `excel_files` for the formats. `columns` maps its columns to
meanings, `rows` collects the cells by column as `cells` reads them (`values` parses single cells,
`positions` numbers attempts and rounds, `summaries` finds totals), and `agents` finds the agents.
`verdicts` and `assembly` make runs, which `runs` also stores by column. `wide` and `attempts`
convert wide tables to long tables, `metric_column` chooses the rows of one metric, `reported` reads
published tables, and `rules` lists the possible problems.
"""
