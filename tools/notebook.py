#!/usr/bin/env python3
"""Runs the notebook of the data page, and writes its outputs and the page that shows it.

`python tools/notebook.py` runs every cell of `site_src/data/notebook.ipynb` in order, stores the outputs in the
notebook, and writes `notebook.md` and the chart next to it. The notebook has so few kinds of outputs that Jupyter is
not needed: the last expression of a cell, as a data frame, a chart or text.
"""

import ast
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from lxml import html

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "site_src" / "data" / "notebook.ipynb"
PAGE = NOTEBOOK.with_suffix(".md")
CHART = NOTEBOOK.with_name("notebook-chart.svg")

HTML, SVG, PLAIN = "text/html", "image/svg+xml", "text/plain"

Notebook: TypeAlias = dict[str, Any]
"""A notebook as Jupyter stores it, in nbformat 4.5."""

_HEAD = """\
---
title: A notebook
description: A notebook finds the test cases that decided a score, and compares two agents.
---
<!-- Written by tools/notebook.py from notebook.ipynb. -->
"""

_DOWNLOAD = """
[Download the notebook](notebook.ipynb){ download } to run it on your machine. \
[Results in Python](../api/load.md) describes every column of its data frames.
"""

_CHART_TEXT = "Bar chart: difference in rounds passed between two agents, by task"


def read_notebook() -> Notebook:
    """Return the stored notebook."""
    notebook: Notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return notebook


def run_notebook(notebook: Notebook) -> Notebook:
    """Return the notebook with new outputs, after running its cells in order in the repository's root."""
    names: dict[str, Any] = {}
    cells = []
    count = 0
    folder = Path.cwd()
    os.chdir(ROOT)
    try:
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                cells.append(cell)
                continue
            count += 1
            value = _run_cell("".join(cell["source"]), names)
            outputs = []
            if value is not None:
                output = {"output_type": "execute_result", "metadata": {}}
                outputs.append({**output, "execution_count": count, "data": _data_of(value)})
            cells.append({**cell, "execution_count": count, "outputs": outputs})
    finally:
        os.chdir(folder)
    return {**notebook, "cells": cells}


def _run_cell(source: str, names: dict[str, Any]) -> object:
    """Run a cell, and return the value of its last line if the line is an expression."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(source, names)
        return None
    before = ast.Module(tree.body[:-1], [])
    exec(compile(before, "cell", "exec"), names)
    value: object = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return value


def _data_of(value: Any) -> dict[str, list[str]]:  # noqa: ANN401 - whatever a cell shows
    """Return what Jupyter would store for a value, by media type."""
    data: dict[str, str] = {PLAIN: repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        data |= value._repr_mimebundle_()
    elif hasattr(value, "_repr_html_"):
        data[HTML] = value._repr_html_()
    return {kind: text.splitlines(keepends=True) for kind, text in data.items()}


def page_of(notebook: Notebook) -> str:
    """Return a page that shows the notebook and its outputs."""
    sections = [_HEAD]
    for index, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            sections.append(f"{source}\n")
            if index == 0:
                sections.append(_DOWNLOAD.lstrip())
            continue
        sections.append(f"```python\n{source}\n```\n")
        for output in cell["outputs"]:
            sections.append(_output_text(output["data"]))
    return "\n".join(sections)


def _output_text(data: Mapping[str, list[str]]) -> str:
    if SVG in data:
        return f"![{_CHART_TEXT}]({CHART.name})\n"
    if HTML in data:
        return "\n".join(_table_lines("".join(data[HTML]))) + "\n"
    return f"```text\n{''.join(data[PLAIN])}\n```\n"


def _table_lines(text: str) -> Iterator[str]:
    """Yield the lines of a data frame as a Markdown table, without a counting index."""
    rows = []
    for row in html.fromstring(text).cssselect("tr"):
        rows.append([cell.text_content().strip() for cell in row.cssselect("th, td")])
    has_counting_index = all(row[0] == str(number) for number, row in enumerate(rows[1:]))
    for number, row in enumerate(rows):
        cells = row[1:] if has_counting_index else row
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            yield f"|{' --- |' * len(cells)}"


def chart_of(notebook: Notebook) -> str:
    """Return the chart in the notebook as SVG."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            if SVG in output["data"]:
                return "".join(output["data"][SVG])
    raise ValueError("the notebook has no chart")


def main() -> None:
    """Write the notebook with its outputs, the page and the chart."""
    notebook = run_notebook(read_notebook())
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")
    PAGE.write_text(page_of(notebook), encoding="utf-8")
    CHART.write_text(chart_of(notebook), encoding="utf-8")
    print(f"{NOTEBOOK.name}: {len(notebook['cells'])} cells, {len(text)} characters")


if __name__ == "__main__":
    main()
