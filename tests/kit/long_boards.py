"""A results folder with a board of more rows than fit on a page: published scores that all differ."""

from pathlib import Path

BENCHMARK = """\
schema = 1
id = "long"
title = "Long"
simulated = true

[[tracks]]
id = "main"
title = "Main"
protocol = "once"
tasks = "all"
headline = "resolved"
columns = ["resolved", "completion"]
"""

TABLE = """\
schema = 1
track = "main"
title = "Table 1"
source = "A paper"
date = 2026-06-25
"""

ROW = """
[[rows]]
id = "{name}"
name = "Agent {number}"
organization = "{organization}"
[rows.values]
resolved = {resolved}
completion = {completion}
"""


def row_name(number: int) -> str:
    """Return the id of a row; row 0 is the best."""
    return f"agent-{number}"


def write_long_board(results: Path, rows: int) -> Path:
    """Write the folder, and return the file with the rows.

    The best row by `resolved` is the worst by `completion`. Only the last row has the organization "Rare".
    """
    home = results / "long"
    (home / "tasks").mkdir(parents=True)
    (home / "reported").mkdir()
    (home / "benchmark.toml").write_text(BENCHMARK, encoding="utf-8")
    (home / "tasks" / "all.jsonl").write_text('{"id": "one", "rounds": [{"n": 1}]}\n', encoding="utf-8")
    blocks = [TABLE]
    for number in range(rows):
        blocks.append(
            ROW.format(
                name=row_name(number),
                number=number,
                organization="Rare" if number == rows - 1 else "Common",
                resolved=f"{90 - number / 10:.1f}",
                completion=f"{0.1 + number / 1000:.4f}",
            )
        )
    table = home / "reported" / "paper.toml"
    table.write_text("".join(blocks), encoding="utf-8")
    return table
