"""The notebook of the data page runs, and its stored outputs and its page show what it gives."""

import notebook
import pytest

MOST_BYTES = 60_000
"""Size of the notebook: it is downloaded, and stands in the repository."""


@pytest.fixture(scope="module", name="run")
def run_once() -> notebook.Notebook:
    return notebook.run_notebook(notebook.read_notebook())


def test_the_stored_outputs_are_what_the_cells_give(run: notebook.Notebook) -> None:
    """Tables and texts are compared, and of the chart its labels: its bytes depend on the renderer."""
    assert notebook.page_of(run) == notebook.PAGE.read_text(encoding="utf-8"), "run python tools/notebook.py"
    chart = notebook.chart_of(run)
    for task in ("minicc-compiler-evolution", "secaudit-log-sentinel"):
        assert f">{task}<" in chart
        assert f">{task}<" in notebook.CHART.read_text(encoding="utf-8")


def test_the_page_shows_the_stored_notebook() -> None:
    stored = notebook.read_notebook()
    assert notebook.page_of(stored) == notebook.PAGE.read_text(encoding="utf-8")
    assert notebook.chart_of(stored) == notebook.CHART.read_text(encoding="utf-8")


def test_the_notebook_is_small_and_has_all_that_jupyter_asks_for() -> None:
    assert notebook.NOTEBOOK.stat().st_size <= MOST_BYTES
    stored = notebook.read_notebook()
    assert (stored["nbformat"], stored["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in stored["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in stored["cells"]:
        assert {"cell_type", "id", "metadata", "source"} <= cell.keys()
        if cell["cell_type"] == "code":
            assert {"execution_count", "outputs"} <= cell.keys()


def test_the_data_page_links_the_notebook() -> None:
    folder = notebook.NOTEBOOK.parent
    assert "(notebook.md)" in (folder / "index.md").read_text(encoding="utf-8")
    assert "(notebook.ipynb)" in notebook.PAGE.read_text(encoding="utf-8")
