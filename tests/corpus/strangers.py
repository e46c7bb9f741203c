"""What strangers send: a valid sample of each format, and the commands that read it."""

import gzip
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from corpus.entries import BASE, DAY
from kit.import_sources import MADE
from kit.results_folders import seal
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.pipeline.releasing import lock_release
from sitegen.problems import SitegenError, UsageError

FOUND = Path(__file__).parent / "fuzzed"
"""Inputs that once ended in a traceback: `SAMPLE-what/`, with the files that differ from those of the sample."""

CLAIMS = """\
schema = 1
date = 2026-07-01
track = "main"
title = "A table"
source = "https://example.org/table"
[[rows]]
id = "ada"
name = "ada"
values = { dataset_score = 100 }
"""


def results(root: Path) -> None:
    """Write a results folder that has every kind of file."""
    shutil.copytree(BASE, root, dirs_exist_ok=True)
    with (root / "mini" / "findings.toml").open("a", encoding="utf-8") as findings:
        findings.write(
            '\n[[findings]]\ndate = 2026-06-30\nkind = "waiver"\ntitle = "A slip"\ncode = "CLAIM-DIFFERS"\n'
            'submissions = ["chain-acme"]\nby = "Ann"\nreason = "Corrected soon."\nuntil = 2030-01-01\n'
        )
    bundle = root / "mini" / "submissions" / "chain-acme"
    failures = (bundle / "failures.jsonl").rename(bundle / "unpacked")
    (bundle / "failures.jsonl.gz").write_bytes(gzip.compress(failures.read_bytes(), mtime=0))
    failures.unlink()
    seal(bundle)
    lock_release(root, DAY, "First", DAY)


def source(form: str, root: Path) -> None:
    """Write a source of a foreign format, with the files that options name."""
    MADE[form](root)
    (root / "claims.toml").write_text(CLAIMS, encoding="utf-8")


def checks(root: Path, base: Path) -> Sequence[Sequence[str]]:
    """Name the commands that read results."""
    if not base.exists():
        results(base)
    return ["validate", str(root), "--base", str(base), "--format", "json"], ["diff", str(base), str(root)]


def imports(form: str, root: Path, into: Path) -> Sequence[Sequence[str]]:
    """Name the commands that read a source, and what came of it."""
    (plain,) = root.glob("plain*")
    plain = next(plain.glob("2*-site"), plain)
    options = ["--into", str(into), "--benchmark", "mine", "--allow-missing", "--date", "2026-07-01"]
    format_options = {"slopcodebench": ["--catalog", str(root / "catalog.json")]}
    claimed = ["--claims", str(root / "claims.toml")] if form == "table" else []
    return ["import", form, str(plain), *options, *format_options.get(form, []), *claimed], ["validate", str(into)]


SAMPLES: Mapping[str, tuple[Callable[[Path], None], Callable[[Path, Path], Sequence[Sequence[str]]]]] = {
    "results": (results, checks),
    **{form: (partial(source, form), partial(imports, form)) for form in MADE},
}
"""By name: what writes the sample, and what names its commands for the folder and one beside it."""


class RefusedLaterError(Exception):
    """`validate` refuses what `import` accepted."""


def outcomes(name: str, root: Path, into: Path) -> list[BaseException | int]:
    """Run the commands of a sample: the exit code of each, or the exception that would print a traceback."""
    return run_commands(SAMPLES[name][1](root, into))


def run_commands(commands: Sequence[Sequence[str]]) -> list[BaseException | int]:
    """Run commands: the exit code of each, or what must not happen.

    That is an exception that would print a traceback, or a `validate` that refuses what the `import` before it
    accepted.
    """
    ended: list[BaseException | int] = []
    for command in commands:
        done = CliRunner().invoke(app, list(command))
        raised = done.exception
        if raised is not None and not isinstance(raised, SystemExit | SitegenError):
            ended.append(raised)
        elif isinstance(raised, UsageError):
            ended.append(2)
        else:
            ended.append(done.exit_code)
        is_check = command[0] == "validate" and commands[0][0] == "import"
        if is_check and ended[0] == 0 and ended[-1] == 1:
            errors = "".join(re.findall(r"^.* error [A-Z-]+: .*$", done.output, re.MULTILINE))
            ended[-1] = RefusedLaterError(errors)
    return ended


def place_of(error: BaseException) -> str:
    """Name an exception and the last line of the program that it passed, as a file may be called."""
    at, last = error.__traceback__, "outside"
    while at:
        if match := re.search(r"sitegen/(.+)\.py$", at.tb_frame.f_code.co_filename):
            last = f"{match[1].replace('/', '-')}-{at.tb_frame.f_code.co_name.strip('_<>')}"
        at = at.tb_next
    return f"{type(error).__name__.lower()}-{last}"
