"""Results and settings in which addresses and other values of files that people write are changed at random.

`change` makes one, and `use` does all that a build does with it, apart from the authored pages.
"""

import json
import random
import re
from contextlib import suppress
from itertools import chain
from pathlib import Path

from corpus.entries import DAY
from corpus.hostile import IN_FILES, strike
from kit.rendered_pages import all_pages
from kit.results_folders import Tree

from sitegen.board.export import scores_json
from sitegen.models.site import Site
from sitegen.pages.environment import Templates
from sitegen.pages.lead import lead_of
from sitegen.pages.transcript_sources import private_transcript_paths
from sitegen.pipeline.evaluating import evaluate, explain
from sitegen.pipeline.forwarding import forward
from sitegen.problems import BuilderError, UsageError, errors_of
from sitegen.publish.site.authored import settings_in, site_in
from sitegen.publish.site.branding import require_local_assets
from sitegen.publish.site.builders import find_builder
from sitegen.publish.site.link_check import broken_links
from sitegen.publish.site.tree import SiteTree as Files

ROOT = Path(__file__).parents[2]

DEFINITION = """\
license = "https://example.org/licence"
homepage = "https://example.org/"
paper = "https://example.org/paper.pdf"
issues = "https://github.com/acme/mini/issues"
group = "Coding"
since = 2026-01-01
"""
REDIRECTS = """\
[[redirects]]
from = "old/board.html"
to = "mini/main"

[[redirects]]
from = "leaderboard/"
to = "mini/main/2026-06-25-acme"

[[renamed]]
from = "mini/first"
to = "mini/main"

[[metrics]]
id = "mine"
title = "Mine"
unit = "percent"
of = "pass"
source = "https://example.org/metric"

"""
SUBMISSION = """
[provenance]
harness = "runner"
artifacts = "https://example.org/runs.zip"
trajectories = "https://files.example.org/{task}/{attempt}{round}.json"

[submitter]
name = "Ann"
url = "https://acme.example"
"""
FINDINGS = """\
schema = 1

[[findings]]
date = 2026-06-26
kind = "leak"
title = "Seen on https://example.org/leak"
reason = "The cases of one task could be read."
by = "Ann"
effect = "note"
tracks = ["main"]
tasks = ["tidy"]
"""
REPORTED = """\
schema = 1
track = "main"
title = "Table 1"
source = "https://example.org/table"
date = 2026-06-20

[[rows]]
id = "birch"
name = "Birch-1"
url = "https://birch.example"
values = { dataset_score = 41.5 }
"""
SETTINGS = """\
site_name: Boards
site_url: https://example.org/boards/
site_author: Acme
repo_url: https://github.com/acme/boards
theme:
  name: material
nav:
  - Home: index.md
  - Submit: submit/index.md
extra_css:
  - assets/board.css
extra:
  lead: mini/main
  builder: mkdocs
  brand:
    logo: assets/favicon.svg
    accent: "#7a1f5c"
"""

WHOLE = (
    "https://[y",
    "http://",
    "https:///",
    "https://:80",
    "https://a:b@c:d/",
    "https://a:99999",
    "https://a..b",
    "https://\u2100.example",
    "https://good.example\\@evil.example",
    "https://{title}/",
    "https://a/{title}{body}{",
    "https://a/%zz?%",
    "https://a/\u202egnp",
    "//[/",
    "javascript:alert(1)",
    "data:text/html,<script>",
    "file:///etc/passwd",
    "index.html",
    "404.html",
    "mini",
    "mini/main",
    "mini/main/",
    "mini/main/tasks/tidy/1",
    "mini/main/2026-06-25-acme/tidy",
    "mini/integrity",
    "methods",
    "feed.xml",
    "feed.xml/a",
    "data/mini/benchmark.toml",
    "old/board.html/a",
    "leaderboard/index.html",
    "../up",
    "a/../b",
    "/",
    "",
    ".",
    "..",
    "con.html",
    "a/aux/b",
    "x" * 300,
    "x/" * 240,
    "transcripts/{task}{attempt}{round}.json",
    "{a}{b}{c}.json",
    "{task}/**/x.json",
    "~/{task}.json",
    "a\nb",
    "a\x00b",
    "\ufeff",
    "e\u0301",
    "2026-99-99",
    "!!int x",
    "&a [*a]",
)
PIECES = (*"[]@:%{}/\\#? \u2100\u202e", "://", "//", "{task}", "**", "..")
"""What is put into a value."""
VALUES = (
    *("[" * 40 + "]" * 40, "{}", "[]", "null", "true", "1", "-1", "1e400", "2026-99-99", "!!int x", "!!timestamp x"),
    *("*a", "&a [*a]", "!ENV X", "!ENV [X, Y]", "!!python/name:os.system", "<<: 1", "0x", ".nan", "? ", "- ", "|"),
)
"""What takes the place of a value in settings."""

_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SETTING = re.compile(r"(?<=: )[^\n]+|(?<=- )[^\n]+")


class Configurations:
    """A small results folder and the settings of its site, of which each change begins anew."""

    def __init__(self, folder: Path) -> None:
        """Write both, and remember what they are."""
        self.folder = folder
        self.settings = folder / "mkdocs.yml"
        tree = Tree(folder / "results")
        self.results = tree.folder
        tree.define('title = "Mini"\n', f'title = "Mini"\n{DEFINITION}')
        tree.define("[aliases]", f"{REDIRECTS}[aliases]")
        tree.edit("submission.toml", 'organization = "Acme"', 'organization = "Acme"\nurl = "https://acme.example"')
        tree.write("submission.toml", (tree.bundle / "submission.toml").read_text(encoding="utf-8") + SUBMISSION)
        tree.put("findings.toml", FINDINGS)
        tree.put("reported/table.toml", REPORTED)
        tasks = (tree.benchmark / "tasks" / "all.jsonl").read_text(encoding="utf-8")
        hidden = tasks.replace('"id": "wide"', '"id": "wide", "url": "https://example.org/t", "private": true')
        tree.put("tasks/all.jsonl", hidden)
        self.settings.write_text(SETTINGS, encoding="utf-8")
        self._tree = tree
        files = (path for path in folder.rglob("*") if path.is_file())
        self._start = {path: path.read_bytes() for path in files}

    def restore(self) -> None:
        """Put back what a change took away."""
        for path in [path for path in sorted(self.folder.rglob("*"), reverse=True) if path not in self._start]:
            if path.is_symlink() or path.is_file():
                path.unlink()
        for path, data in self._start.items():
            if path.is_symlink():
                path.unlink()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def change(self, dice: random.Random) -> None:
        """Change one to three values; now and then break bytes as well."""
        names = ("benchmark.toml", "findings.toml", "reported/table.toml", "tasks/all.jsonl")
        files = [*(self._tree.benchmark / name for name in names), self._tree.bundle / "submission.toml", self.settings]
        weights = (6, 2, 1, 1, 3, 3)
        for _ in range(dice.choice((1, 1, 2, 3))):
            (file,) = dice.choices(files, weights)
            change_value(dice, file)
        if dice.random() < 0.1:
            strike(dice, self._tree.benchmark, IN_FILES)
        self._tree.seal()


def change_value(dice: random.Random, file: Path) -> None:
    """Give a value of a file another text."""
    text = file.read_text(encoding="utf-8")
    is_settings = file.suffix == ".yml"
    values = list((_SETTING if is_settings else _TEXT).finditer(text))
    if not values:
        return
    value = dice.choice(values)
    if is_settings and dice.random() < 0.5:
        written = dice.choice(VALUES)
    else:
        written = json.dumps(changed_text(dice, value[0].strip('"')))
    file.write_text(text[: value.start()] + written + text[value.end() :], encoding="utf-8")


def changed_text(dice: random.Random, text: str) -> str:
    """Return another text: one of `WHOLE`, or the given one with a piece put in, or cut."""
    if dice.random() < 0.5:
        return dice.choice(WHOLE)
    for _ in range(dice.choice((1, 1, 2))):
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.choice((0, 0, 1, 5)))
        text = text[:start] + dice.choice(PIECES) + text[end:]
    return text


def use(made: Configurations, dice: random.Random, pages: Path) -> str:
    """Do what a build does: returns "refused", "settings refused", "site refused" or "built".

    A refusal is one that the program says in words. Whatever else is raised is a traceback.
    """
    judged = evaluate(made.results, DAY)
    problems = judged.problems()
    messages = [str(problem) for problem in problems]
    assert all(messages)
    if errors_of(problems):
        return "refused"
    try:
        settings = settings_in(made.settings)
        site = site_in(settings)
        find_builder(settings)
        require_local_assets(settings, ROOT / "site_src")
        lead_of(list(judged.all_boards()), site.lead)
    except (UsageError, BuilderError):
        site = Site()
        ended = "settings refused"
    else:
        ended = "built"
    scores_json(judged.entries())
    name = changed_text(dice, "mini/main/2026-06-25-acme/tidy")
    with suppress(UsageError):
        list(explain(name, judged))
    templates = Templates(ROOT / "templates" / "pages", site=site)
    files = Files(pages)
    for page in chain.from_iterable(all_pages(boards, templates) for boards in judged.boards):
        files.write_page(page.address, f'<!doctype html><meta charset="utf-8"><main>{page.content}</main>')
    for pattern in private_transcript_paths(judged.entries()):
        list(pages.glob(pattern))
    try:
        forward(judged, files, templates)
    except UsageError:
        return "site refused"
    broken_links(pages, site.path)
    return ended
