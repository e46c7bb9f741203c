"""What the page about the program's structure says is so: its imports, its names, and the code of its five changes."""

import re
import shutil
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules, resolve_name, walk_packages

import classes
import imports
import pytest
from kit.result_grids import sheet
from kit.simulated_boards import simulated_boards

import sitegen
from sitegen.board.board import Board
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.simulation import SimulationScale
from sitegen.pages.charts import chart_labels
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import _KINDS

PAGE = imports.PAGE.read_text(encoding="utf-8")
NAME = re.compile(rf"`((?:{'|'.join(imports.LAYERS)})(?:\.\w+)+)`")
FILE = re.compile(r"`((?:sitegen|tests|templates|tools)/[\w/.]+)`")


@pytest.fixture(scope="module")
def board() -> Board:
    """A small board."""
    return simulated_boards(SimulationScale(agents=3, tasks=4))[0]


def changes() -> Iterator[tuple[str, str]]:
    """The worked examples: their titles and texts."""
    section = PAGE.partition("## Five changes\n")[2].partition("\n## ")[0]
    for example in section.split("\n### ")[1:]:
        title, _, text = example.partition("\n")
        yield title, text


def test_the_table_of_imports_is_of_today() -> None:
    """`python tools/imports.py` writes it."""
    assert imports.drawn(PAGE) == PAGE


def test_the_glossary_of_classes_is_of_today() -> None:
    """`python tools/classes.py` writes it: each public class of five packages, with one meaning."""
    page = classes.PAGE.read_text(encoding="utf-8")
    assert classes.drawn(page) == page


def test_each_class_of_the_glossary_has_a_meaning() -> None:
    page = classes.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `([\w.]+)` \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) > 150
    assert [name for name, _, meaning in rows if len(meaning.split()) < 2] == []
    assert [name for name, module, _ in rows if not hasattr(import_module(f"sitegen.{module}"), name)] == []


WITHOUT_MAP = {
    "sitegen",
    "sitegen.charts.analyses",
    "sitegen.cli",
    "sitegen.importers",
    "sitegen.importers.kit",
    "sitegen.models",
    "sitegen.pages",
    "sitegen.pages.kinds",
    "sitegen.pipeline",
    "sitegen.problems",
    "sitegen.publish",
    "sitegen.reading",
}
"""Packages whose docstrings name only the modules to read first; those of all others are maps of their modules."""

PACKAGES = [
    "sitegen",
    *sorted(package.name for package in walk_packages(sitegen.__path__, "sitegen.") if package.ispkg),
]


def named_in_docstring(package: str) -> list[str]:
    """Return what the docstring of a package has in backticks."""
    return re.findall(r"`([\w.]+)`", import_module(package).__doc__ or "")


@pytest.mark.parametrize("package", [name for name in PACKAGES if name not in WITHOUT_MAP])
def test_a_map_of_a_package_names_every_module(package: str) -> None:
    """A docstring names a module alone, or with something in it: `making`, `making.make_boards`."""
    modules = {module.name for module in iter_modules(import_module(package).__path__)}
    named = {module_name for name in named_in_docstring(package) for module_name in name.split(".")}
    assert modules - named == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_package_says_to_read_is_there(package: str) -> None:
    """A dotted name in a package's docstring is a module of it, or of `sitegen`, with a function or class."""
    for name in named_in_docstring(package):
        module, _, attribute = name.removeprefix("sitegen.").rpartition(".")
        if module:
            assert any(has_name(f"{home}.{module}", attribute) for home in {package, "sitegen"}), name


def has_name(module: str, name: str) -> bool:
    """Return whether there is a module, or a class in one, that has a name."""
    try:
        return hasattr(resolve_name(module), name) or find_spec(f"{module}.{name}") is not None
    except (ImportError, AttributeError):
        return False


def test_no_two_classes_have_one_name() -> None:
    assert classes.shared_names() == {}


def is_there(name: str) -> bool:
    path = Path("sitegen", *name.split("."))
    module, _, member = name.rpartition(".")
    return path.is_dir() or path.with_suffix(".py").is_file() or hasattr(import_module(f"sitegen.{module}"), member)


def test_a_name_of_the_code_is_there() -> None:
    assert [name for name in NAME.findall(PAGE) if not is_there(name)] == []


def test_each_value_of_the_chains_is_a_class_made_where_the_page_says() -> None:
    page = Path("site_src/develop/first.md").read_text(encoding="utf-8")
    names = {named.name for named in classes.classes_in(Path("sitegen").resolve())}
    values = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert len(values) > 25
    assert [value for value in values if value not in names] == []
    assert [name for name in NAME.findall(page) if not is_there(name)] == []


def test_a_file_of_the_program_is_there() -> None:
    assert [name for name in FILE.findall(PAGE) if "NAME" not in name and not Path(name).exists()] == []


def test_there_are_five_changes_of_at_most_four_source_files() -> None:
    sources = {
        title: [row for row in text.splitlines() if re.match(r"\| .*`(?:sitegen|templates)/", row)]
        for title, text in changes()
    }
    assert len(sources) == 5
    assert all(1 <= len(rows) <= 4 for rows in sources.values()), sources


def test_the_metric_scores() -> None:
    names = vars(import_module("kit.worked_metric"))
    assert names["LAST_ROUNDS"].compute(sheet(["#.#", ".#."], ["#", "#"])) == 75


def test_the_format_is_read(tmp_path: Path) -> None:
    source = tmp_path / "runs.txt"
    source.write_text("A,t,1,ppf\nA,t,2,p\nB,t,1,pp\nB,t,2,f\n", encoding="utf-8")
    options = ImportOptions(benchmark="own", track="main", today=date(2026, 7, 1))
    names = vars(import_module("kit.worked_format"))
    incoming = names["read_lines_of_runs"](source, options)
    assert [[round_result.reward for round_result in draft.rounds] for draft in incoming.drafts] == [
        [0.0, 1.0],
        [1.0, 0.0],
    ]
    assert [draft.submission.detail.cases for draft in incoming.drafts] == ["all", "all"]


def test_the_column_and_the_chart_count_failed_builds(board: Board) -> None:
    names = vars(import_module("kit.worked_column"))
    cells = [names["column"].cell(entry) for entry in board.entries]
    chart = names["builds_chart"](board, chart_labels(board))
    assert [cell.text for cell in cells] == [bar.text for bar in chart.panels[0].bars]
    assert all(cell.value >= 0 for cell in cells)


def test_the_page_shows_who_made_the_agents(board: Board, tmp_path: Path) -> None:
    worked = import_module("kit.worked_page")
    _KINDS[BoardRecords].remove(worked.organizations_page)
    shutil.copytree("templates/pages", tmp_path / "pages")
    (tmp_path / "pages" / "NAME.html.j2").write_text(worked.TEMPLATE, encoding="utf-8")
    (page,) = worked.organizations_page.pages(BoardRecords(board, ()), Templates(tmp_path / "pages"))
    numbers = re.findall(r": (\d+)</li>", page.content)
    assert sum(map(int, numbers)) == len(board.entries) == 3


def test_the_rule_mends() -> None:
    names = vars(import_module("kit.worked_rule"))
    assert names["TABS"].mend.repair(b"a\tb\n") == (b"a b\n", [(1, "tab replaced")])
