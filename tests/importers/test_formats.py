"""Formats as entry points: those of this repository, and those that other packages bring."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from sitegen.importers import formats
from sitegen.importers import registrations as entry_points
from sitegen.importers.formats import FORMATS, FormatError, load_format

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "tests" / "kit" / "worked_format.py"
RUNS = "Ada,tidy,1,ppf\nAda,tidy,2,p\nBob,tidy,1,pp\nBob,tidy,2,f\n"


def install(folder: Path, package: str, *lines: str, code: str | None = None, group: str = "sitegen.formats") -> None:
    """Put a package into a folder as an installer does: perhaps its code, and its metadata with entry points."""
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir(parents=True)
    name = package.replace("_", "-")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("\n".join((f"[{group}]", *lines, "")), encoding="utf-8")
    if code is not None:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(code, encoding="utf-8")


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, with the packages in a folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT))), "COLUMNS": "1000"}
    command = [sys.executable, "-m", "sitegen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def run_import(form: str, folder: Path, source: Path, into: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, "import", form, source, "--into", into, "--benchmark", "mine", "--date", "2026-07-01")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    return tmp_path / "packages"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    path = tmp_path / "runs.txt"
    path.write_text(RUNS, encoding="utf-8")
    return path


@pytest.fixture
def registrations(monkeypatch: pytest.MonkeyPatch, packages: Path) -> Iterator[None]:
    """Look for formats anew, with the packages in a folder."""
    monkeypatch.syspath_prepend(packages)
    entry_points.registrations_of.cache_clear()
    yield
    entry_points.registrations_of.cache_clear()


def test_a_format_of_another_package_is_imported_with(packages: Path, runs: Path, tmp_path: Path) -> None:
    install(packages, "acme_lines", "lines = acme_lines:FORMAT", code=WORKED.read_text(encoding="utf-8"))
    done = run_import("lines", packages, runs, tmp_path / "results")
    assert done.returncode == 0, done.stderr
    assert "2 new bundles" in done.stdout
    bundles = sorted(path.name for path in (tmp_path / "results" / "mine" / "submissions").iterdir())
    assert bundles == ["2026-07-01-ada", "2026-07-01-bob"]
    assert "lines" in run(packages, "import", "--help").stdout


@pytest.mark.parametrize(
    ("code", "expected_message"),
    [
        (None, "ModuleNotFoundError: No module named 'acme_lines'"),
        ("", "AttributeError: module 'acme_lines' has no attribute 'FORMAT'"),
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("FORMAT = 'lines'", "which is a str, not a Format of sitegen.importers.kit.options"),
    ],
)
def test_a_broken_format_says_what_is_broken_and_breaks_no_other(
    code: str | None, expected_message: str, packages: Path, runs: Path, tmp_path: Path
) -> None:
    install(packages, "acme_lines", "lines = acme_lines:FORMAT", code=code)
    done = run_import("lines", packages, runs, tmp_path / "results")
    assert done.returncode == 2
    assert "lines can't be loaded: acme-lines 1.0 says that it is acme_lines:FORMAT" in done.stderr
    assert expected_message in done.stderr
    table = tmp_path / "table.csv"
    table.write_text("agent,task,reward\nAda,tidy,1\n", encoding="utf-8")
    assert run_import("table", packages, table, tmp_path / "results").returncode == 0
    assert run(packages, "try", table, "--no-serve").returncode == 0
    unknown = run(packages, "try", runs, "--no-serve")
    assert unknown.returncode == 2
    assert expected_message in unknown.stderr


def test_a_format_whose_metadata_is_older_than_its_code_is_told_how_to_mend_it(
    packages: Path, runs: Path, tmp_path: Path
) -> None:
    install(packages, "acme_lines", "old = acme_lines.old:FORMAT", code=WORKED.read_text(encoding="utf-8"))
    for form in ("old", "lines"):
        done = run_import(form, packages, runs, tmp_path / "results")
        assert done.returncode == 2
        text = " ".join(done.stderr.replace("│", " ").split())
        assert "editable package has to be reinstalled after its entry points change" in text


def test_a_name_that_two_packages_have_is_refused_with_both(packages: Path, runs: Path, tmp_path: Path) -> None:
    for package in ("acme_lines", "other_lines"):
        install(packages, package, f"lines = {package}:FORMAT", code=WORKED.read_text(encoding="utf-8"))
    done = run_import("lines", packages, runs, tmp_path / "results")
    assert done.returncode == 2
    packages_named = "acme-lines 1.0 and other-lines 1.0"
    message = f"format lines is provided by several packages, {packages_named}: uninstall all but one of them"
    assert message in done.stderr.replace("other-lines 1.0 and acme-lines 1.0", "acme-lines 1.0 and other-lines 1.0")


@pytest.mark.usefixtures("registrations")
def test_a_name_of_this_repository_is_not_taken_over(packages: Path) -> None:
    install(packages, "acme_lines", "table = acme_lines:FORMAT", code=WORKED.read_text(encoding="utf-8"))
    with pytest.raises(FormatError, match=r"pyproject\.toml and acme-lines 1\.0"):
        load_format("table")
    assert load_format("harbor").track == "official"


@pytest.mark.usefixtures("registrations")
def test_a_package_whose_entry_points_can_not_be_read_breaks_nothing(packages: Path) -> None:
    install(packages, "acme_lines", "this is no entry point")
    assert load_format("table").is_file


@pytest.mark.usefixtures("registrations")
def test_an_installed_program_reads_its_metadata(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(packages, entry_points.OWN_PACKAGE, "table = sitegen.importers.table.source:FORMAT")
    monkeypatch.setattr(entry_points, "_PYPROJECT", packages / "pyproject.toml")
    registered = entry_points.registrations_of(entry_points.FORMAT_GROUP)
    assert [(format_entry.name, format_entry.package, format_entry.is_own) for format_entry in registered["table"]] == [
        ("table", f"{entry_points.OWN_PACKAGE} 1.0", True)
    ]


def test_every_format_of_this_repository_is_registered() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = (ROOT / "sitegen" / "importers").glob("*/source.py")
    names = {path.parent.name: f"sitegen.importers.{path.parent.name}.source:FORMAT" for path in sources}
    registered = project["entry-points"]["sitegen.formats"]
    assert registered == {name.replace("_", "-"): target for name, target in names.items()}
    assert set(registered) <= set(FORMATS)


def test_facts_are_registered_for_every_benchmark_that_has_a_format() -> None:
    named = {load_format(name).benchmark for name in FORMATS} - {None}
    assert set(entry_points.registrations_of(entry_points.BENCHMARK_GROUP)) == named
    assert all(formats.benchmark_facts(str(name)).title for name in named)


def test_only_the_format_that_is_asked_for_is_loaded() -> None:
    code = (
        "import sys; from sitegen.importers.formats import load_format; load_format('tau2');"
        "print(sorted({name.split('.')[2] for name in sys.modules if name.startswith('sitegen.importers.')}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "['formats', 'kit', 'registrations', 'tau2']"


def test_no_word_of_one_benchmark_is_in_code_that_all_formats_share() -> None:
    agents = import_module("sitegen.importers.evocodebench.benchmark").SPELLINGS.values()
    shared = [*(ROOT / "sitegen" / "importers" / "kit").rglob("*.py"), *(ROOT / "sitegen" / "pipeline").rglob("*.py")]
    for path in shared:
        text = path.read_text(encoding="utf-8").lower()
        benchmark_names = ("evocode", "slopcode", "slop-code", "roadmapbench", "swe-bench", *map(str.lower, agents))
        assert [benchmark_name for benchmark_name in benchmark_names if benchmark_name in text] == [], path
