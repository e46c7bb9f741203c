"""Writes the same results as a table in every format that other programs write, with the programs' own code.

The project itself does not need these programs. Run this file with the Python of an environment that has `polars`,
`duckdb` and `xlsxwriter`, on a machine with `jq`:

    python tools/write_tables.py tests/samples/tables

The tables in tests/samples/tables were written by polars 2.1.0, duckdb 2.0.1, xlsxwriter 3.3.1 and jq 1.6. Output of
pandas is not stored, because tests write it themselves.
"""

import argparse
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

polars = import_module("polars")
duckdb = import_module("duckdb")
xlsxwriter = import_module("xlsxwriter")

ROWS = (
    ("m1", "alpha", 41, True, 0.5),
    ("m1", "alpha", 42, False, 0.25),
    ("m1", "beta", 41, None, None),
    ("m1", "beta", 42, True, 1.0),
    ("m2", "alpha", 41, False, 2.0),
    ("m2", "alpha", 42, False, 3.5),
    ("m2", "beta", 41, True, 4.0),
    ("m2", "beta", 42, True, 5.25),
)
"""The agent, task and seed of each row, whether the task was resolved, and the cost."""
COLUMNS = ("model", "task_id", "seed", "resolved", "cost")


def write_polars(folder: Path) -> None:
    """Write the table with polars."""
    frame = polars.DataFrame(ROWS, schema=list(COLUMNS), orient="row")
    frame.write_csv(folder / "polars.csv")
    frame.write_parquet(folder / "polars.parquet")
    frame.write_json(folder / "polars.json")
    frame.write_ndjson(folder / "polars.ndjson")
    frame.write_excel(folder / "polars.xlsx")
    nested = frame.with_columns(
        polars.col("task_id").cast(polars.Categorical),
        polars.lit([1, 2]).alias("tries"),
        polars.struct(["cost"]).alias("usage"),
    )
    nested.write_parquet(folder / "polars-nested.parquet", compression="zstd")


def write_duckdb(folder: Path) -> None:
    """Write the table with duckdb's copy command."""
    connection = duckdb.connect()
    connection.execute(
        "create table runs (model text, task_id text, seed int, resolved bool, cost double)"
    )
    connection.executemany("insert into runs values (?, ?, ?, ?, ?)", [list(row) for row in ROWS])
    connection.execute(f"copy runs to '{folder / 'duckdb.csv'}' (header)")
    connection.execute(f"copy runs to '{folder / 'duckdb.parquet'}' (format parquet)")
    connection.execute(f"copy runs to '{folder / 'duckdb.json'}' (format json, array true)")
    connection.execute(f"copy runs to '{folder / 'duckdb.jsonl'}' (format json)")


def write_workbook(folder: Path) -> None:
    """Write a workbook in a common layout: notes on the first sheet, and a merged title above the table."""
    workbook = xlsxwriter.Workbook(str(folder / "titled.xlsx"))
    workbook.add_worksheet("Read me").write(0, 0, "How these runs were made")
    sheet = workbook.add_worksheet("Results")
    sheet.merge_range("A1:E1", "Evaluation of June")
    sheet.write_row(2, 0, ("Model", "Task ID", "Seed", "Resolved?", "Cost"))
    for number, row in enumerate(ROWS, start=3):
        sheet.write_row(number, 0, ["" if cell is None else cell for cell in row])
    workbook.close()


def write_jq(folder: Path) -> None:
    """Write the output of jq, as an indented array and as a stream."""
    jq = shutil.which("jq")
    if jq is None:
        sys.exit("jq is not installed")
    for name, query in (("jq-array.json", "."), ("jq-stream.json", ".[]")):
        done = subprocess.run([jq, query, folder / "polars.json"], check=True, capture_output=True)
        (folder / name).write_bytes(done.stdout)


def main() -> None:
    """Write every table to the given folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    write_polars(folder)
    write_duckdb(folder)
    write_workbook(folder)
    write_jq(folder)


if __name__ == "__main__":
    main()
