"""Attacks the site: writes hostile strings to every field of a results folder, and opens all pages in Chromium.

`python tools/attack.py` prints the number of pages opened, of texts placed, and of scripts that ran.
"""

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit
from host import hosting
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page
from reader import browsing, opened
from stopwatch import ROOT, SITEGEN, line, run

from sitegen.metrics.catalogue import METRICS
from sitegen.models.schemas import json_schema

BASE = ROOT / "tests" / "corpus" / "base"
"""Small results without problems that include every kind of record."""
STRINGS = (ROOT / "tests" / "attack.txt").read_text(encoding="utf-8").splitlines()
MARK = re.compile(r"~(\d+)~")
"""Matches the end of each hostile text, which contains its number."""

Json: TypeAlias = Any
"""Any value of JSON or TOML."""

REVISION = """
[[revisions]]
of = "chain-birch"
date = 2026-06-29
reason = "The network failed."
reruns = [{ task = "ledger", attempt = 1, rounds = [3] }]
"""
SUPERSEDED = """
[status]
state = "superseded"
by = "chain-elm"
date = 2026-06-29
"""
MORE = {
    "agents.toml": """
schema = 1

[[agents]]
name = "Drift"
spellings = ["drift one"]
organization = "Drifters"
license = "MIT"
source = "A page"
""",
    "mini/submissions/chain-drift/submission.toml": """
[status]
state = "withdrawn"
by = "M. Aintainer"
reason = "A mistake."
date = 2026-06-28

[provenance]
overrides = { memory = "2 GB" }
""",
    "aims/benchmark.toml": """
[[metrics]]
id = "effort"
unit = "count"
title = "Effort"
summary = "What it took."
source = "A paper"
reported = true
""",
    "mini/findings.toml": """
cases = ["a1"]

[[findings]]
date = 2026-06-29
kind = "waiver"
title = "A limit"
code = "PROVENANCE-OVERRIDES"
submissions = ["chain-drift"]
""",
    "mini/reported/paper.toml": """
[[exhibits]]
id = "table-2"
title = "Sizes of tasks"
where = "Table 2"
note = "In lines."
columns = ["Kind", "Lines"]
rows = [["tool", 40], ["game", 60]]
draw = "Lines"
slips = [{ row = "tool", column = "Lines", should = "41" }]
""",
}
"""Text to add to these files, for fields that none of them has."""

KINDS = {"reported": "reported", "tasks": "task", "releases": "release"}
"""Kinds of records, by the folder of their files; other kinds are named after their files."""

KEPT = re.compile(
    r".*(?<!exhibits\[\])\.(headline|columns\[\]|metrics\[\]|task|code|code_commit|task_digest)"
    r"|.*\.(trajectories_digest|value|sd|claims\.\*|axis|mode)"
    r"|arrival\.bundle|check\.(submission|base)|registration\.track"
)
"""Matches fields whose text is a name of something that is not text, a checksum, or a number."""
NOT_ADDED = re.compile(r".*\.(groupings\[\]|axes\[\]|case_ids\[\]|cases\[\]|status\..*|printed)")
"""Matches fields that are valid only together with another field."""
WORDS = {*METRICS, "core", "error", "functionality", "regression"}
"""Texts that have a meaning for scores."""
KEYS = re.compile(r".*\.(axes|aliases|(?<!benchmarks\[\]\.)labels|overrides|groups|groups\.\*)")
"""Matches fields whose keys are text."""

LOOK = """() => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  const struck = [...document.querySelectorAll("[data-struck]")].map((each) => each.outerHTML);
  const links = [...document.querySelectorAll("[href], [src]")].map(({ href, src }) => (
    href?.baseVal?.startsWith("#") ? document.baseURI : href?.baseVal ?? href ?? src));
  for (const each of document.querySelectorAll("script, style, noscript, .sg-code")) each.remove();
  return { ran: self.struck ?? 0, struck, links, text: document.documentElement.textContent };
}"""
"""Returns the effects of hostile texts on a page, and the text of the page.

The text excludes code, which is escaped in its own way, and content for readers without scripts, which appears as
source here.
"""

SEARCH = """async () => {
  const query = document.querySelector("[data-md-component='search-query']");
  if (!query) return;
  query.focus();
  query.value = "struck";
  query.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  for (let tries = 100; tries && !document.querySelector(".md-search-result__item"); tries--)
    await new Promise((done) => setTimeout(done, 100));
}"""
"""Searches for a word that all hostile titles share."""


@dataclass
class Found:
    """The outcome of an attack."""

    placed: set[tuple[str, str]]
    """The texts that were placed, each with a field that contains it."""
    pages: int = 0
    shown: int = 0
    """The number of times that a hostile text was shown completely, as text."""
    ran: int = 0
    complaints: list[str] = field(default_factory=list)
    """Texts that became markup, and error messages of the browser, each with its page."""


class Poison:
    """Hostile texts that replace other texts; equal texts get the same replacement everywhere."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.placed: set[tuple[str, str]] = set()
        self._instead: dict[str, str] = {}

    def put(self, results: Path) -> None:
        """Replace the texts in every file of a results folder."""
        for path in sorted(results.rglob("*.toml")):
            document = tomlkit.parse(path.read_text(encoding="utf-8")).unwrap()
            path.write_text(tomlkit.dumps(self._record(_kind(path), document)), encoding="utf-8")
        for path in sorted(results.rglob("*.jsonl")):
            records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            lines = (json.dumps(self._record(_kind(path), record)) + "\n" for record in records)
            path.write_text("".join(lines), encoding="utf-8")

    def journals(self, benchmark: Path, name: str) -> None:
        """Write a check of a submission and a registration of an agent, with short names."""
        sums = (benchmark / "submissions" / name / "SHA256SUMS").read_bytes()
        digest = hashlib.sha256(sums).hexdigest()
        record = {
            "submission": name,
            "digest": digest,
            "by": self._name("check.by"),
            "day": "2026-06-29",
            "seed": hashlib.sha256(f"none:{digest}".encode()).hexdigest(),
            "base": "none",
            "drawn": 1,
            "of": 4,
            "agreed": 1,
        }
        (benchmark / "checks.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
        record = {
            "agent": self._name("registration.agent"),
            "track": "chain",
            "attempts": 1,
            "day": "2026-06-01",
        }
        (benchmark / "registrations.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")

    def _name(self, field_path: str) -> str:
        self.texts.append(f"{STRINGS[1]} ~{len(self.texts)}~")
        self.placed.add((field_path, self.texts[-1]))
        return self.texts[-1]

    def _record(self, kind: str, record: Json) -> Json:
        schema = json_schema(kind)
        return self._changed(schema, schema.get("$defs", {}), record, kind)

    def _changed(self, schema: Json, named: Json, value: Json, field_path: str) -> Json:
        """Change a value if its schema says that it is text; add text to missing optional fields."""
        for alternative in schema.get("anyOf", [schema]):
            kind = (
                named[alternative["$ref"].rpartition("/")[2]]
                if "$ref" in alternative
                else alternative
            )
            match kind.get("type"), value:
                case "object", dict():
                    return dict(self._items(kind, named, value, field_path))
                case "array", list() | None if "items" in kind:
                    items = [None] if value is None else value
                    changed = [
                        self._changed(kind["items"], named, item, f"{field_path}[]")
                        for item in items
                    ]
                    return None if changed == [None] else changed
                case "string", str() | None if not {"pattern", "enum", "format"} & kind.keys():
                    is_kept = (KEPT if value else NOT_ADDED).fullmatch(
                        field_path
                    ) or KEPT.fullmatch(field_path)
                    return value if is_kept else self._text(value or field_path, field_path)
        return value

    def _items(
        self, kind: Json, named: Json, value: Json, field_path: str
    ) -> Iterator[tuple[str, Json]]:
        properties, additional = kind.get("properties", {}), kind.get("additionalProperties", {})
        for name in {**value, **properties}:
            if (
                name == "task_digest"
            ):  # the digest covers the digests of tasks, which are hostile texts
                continue
            key = (
                self._text(name, field_path)
                if KEYS.fullmatch(field_path) and name not in properties
                else name
            )
            inside = f"{field_path}.{name if name in properties else '*'}"
            changed = self._changed(
                properties.get(name, additional), named, value.get(name), inside
            )
            if changed is not None:
                yield key, changed

    def _text(self, old: str, field_path: str) -> str:
        if old in WORDS:
            return old
        if old not in self._instead:
            number = len(self.texts)
            turn = number % len(STRINGS)
            self.texts.append(" ".join((*STRINGS[turn:], *STRINGS[:turn], f"~{number}~")))
            self._instead |= {old: self.texts[-1], self.texts[-1]: self.texts[-1]}
        self.placed.add((field_path, self._instead[old]))
        return self._instead[old]


def sitegen(*arguments: str | Path) -> object:
    """Run a command of the program."""
    return run([*SITEGEN, *map(str, arguments)])


def _revise(submissions: Path) -> None:
    """Add a submission that supersedes another one and in which one round was run again."""
    earlier = submissions / "chain-birch"
    later = submissions / "chain-elm"
    shutil.copytree(earlier, later)
    rounds = later / "rounds.jsonl"
    lines = rounds.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[2] = json.dumps(json.loads(lines[2]) | {"reward": 1, "passed": 12}) + "\n"
    rounds.write_text("".join(lines), encoding="utf-8")
    with (later / "submission.toml").open("a", encoding="utf-8") as file:
        file.write(REVISION)


def place(folder: Path, do: Callable[..., object]) -> Poison:
    """Write a results folder in which every text is hostile, with a release of it; `do` runs the commands."""
    shutil.copytree(BASE, folder)
    for name, addition in MORE.items():
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(addition)
    _revise(folder / "mini" / "submissions")
    definition = folder / "aims" / "benchmark.toml"
    text = definition.read_text(encoding="utf-8").replace(
        '"Target"', '{one = "Target", many = "Targets"}'
    )
    definition.write_text(text, encoding="utf-8")
    poison = Poison()
    poison.put(folder)
    earlier = folder / "mini" / "submissions" / "chain-birch" / "submission.toml"
    with earlier.open("a", encoding="utf-8") as file:
        file.write(SUPERSEDED)  # the id of the other submission must stay unchanged
    do("validate", "--fix", folder)
    poison.journals(folder / "mini", "chain-acme")
    do("release", "2026-06-30", "--results", folder)
    poison.put(folder / "releases")
    return poison


def attack(
    browser: Browser, work: Path, step: int = 1, do: Callable[..., object] = sitegen
) -> Found:
    """Build a site of hostile texts in a scratch folder, and visit every `step`-th page."""
    poison = place(work / "results", do)
    do("build", "--results", work / "results", "--site", work / "site")
    return visit(browser, work / "site", poison, step)


def visit(browser: Browser, site: Path, poison: Poison, step: int = 1) -> Found:
    """Open pages and drawings, one for each set of texts or every `step`-th; search the site; return the outcome."""
    outcome = Found(poison.placed)
    files = sorted(path for path in site.rglob("*") if path.suffix in {".html", ".svg"})
    names = {
        frozenset(MARK.findall(path.read_text("utf-8"))): path.relative_to(site).as_posix()
        for path in files
    }
    with hosting(site) as host, opened(browser) as page:
        _listen(page, outcome)
        for name in list(names.values())[::step]:
            page.goto(host.address + name)
            _look(page, poison, outcome)
        page.goto(host.address)
        page.evaluate(SEARCH)
        _look(page, poison, outcome)
    return outcome


def _listen(page: Page, outcome: Found) -> None:
    def told(complaint: object) -> None:
        outcome.complaints.append(f"{page.url}: {complaint}")

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.location["url"].endswith(
            "/favicon.ico"
        ):
            told(message.text)

    def asked(dialog: Dialog) -> None:
        outcome.ran += 1
        dialog.dismiss()

    page.on("console", heard)
    page.on("pageerror", told)
    page.on("dialog", asked)


def _comparable(text: str) -> str:
    """Return a text in the form used for comparison, without intended changes by pages.

    Sentences start some texts in lower case, and text between backticks is shown as code.
    """
    return " ".join(text.replace("`", "").split()).casefold()


def _look(page: Page, poison: Poison, outcome: Found) -> None:
    seen = page.evaluate(LOOK)
    outcome.pages += 1
    outcome.ran += seen["ran"]
    strange = [
        link
        for link in seen["links"]
        if link and not link.startswith(("http://127.0.0.1:", "https://", "data:"))
    ]
    text = _comparable(seen["text"])
    for mark in MARK.finditer(text):
        is_whole = text[: mark.end()].endswith(_comparable(poison.texts[int(mark[1])]))
        outcome.shown += is_whole
        strange += (
            []
            if is_whole
            else [f"not as it was written: {text[max(0, mark.start() - 90) : mark.end()]}"]
        )
    outcome.complaints += [f"{page.url}: {complaint}" for complaint in (*seen["struck"], *strange)]


def main() -> int:
    """Run the attack, and print the outcome; return 1 if any attack succeeded."""
    with tempfile.TemporaryDirectory() as work, browsing() as browser:
        if browser is None:
            print("there is no Chromium: name one in SITEGEN_BROWSER")
            return 1
        outcome = attack(browser, Path(work))
    line("pages opened", str(outcome.pages))
    line(
        "strings placed", f"{len(outcome.placed) * len(STRINGS):,}", f"{len(STRINGS)} in each text"
    )
    line("texts seen whole, as text", f"{outcome.shown:,}")
    line("scripts executed", str(outcome.ran))
    line("complaints", str(len(outcome.complaints)))
    print(*outcome.complaints, sep="\n")
    return int(outcome.ran > 0 or bool(outcome.complaints))


def _kind(path: Path) -> str:
    return KINDS.get(
        path.parent.name, path.stem.rstrip("s") if path.suffix == ".jsonl" else path.stem
    )


if __name__ == "__main__":
    sys.exit(main())
