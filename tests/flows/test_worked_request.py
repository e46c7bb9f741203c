"""The worked pull request: its comment, and what the site publishes, are as the page shows them.

With `--update-golden`, the page is rewritten instead, as in `test_walkthrough`.
"""

import re
from pathlib import Path

import pytest
from kit.github_server import GitHub, packed
from kit.played_guides import Shell, guide, play
from kit.posted_comments import commented
from lxml import html

SUBMISSION = "2026-07-01-acme-1"
FILES = [f"results/demo/submissions/{SUBMISSION}/{name}" for name in ("SHA256SUMS", "rounds.jsonl", "submission.toml")]
BLOCK = re.compile(r'^```text title="(\w+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all commands of the page were run, with the site that it ends with."""
    folder = tmp_path_factory.mktemp("request")
    for _ in play(guide("pull-request").read_text(encoding="utf-8"), Shell(folder)):
        pass
    return folder


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def comment_in(folder: Path) -> str:
    """The comment below the pull request, as GitHub shows it: without marks and escapes."""
    report = (folder / "report.md").read_bytes()
    github = GitHub(conclusion="success", artifact=packed(report), files=FILES)
    (folder / "machine").mkdir()
    body = commented(github, folder / "machine").partition("\n")[2].strip()
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", body) + "\n"


def board_in(folder: Path) -> str:
    """The rows of the board: rank, agent and score."""
    page = html.fromstring((folder / "site/demo/chain/index.html").read_bytes())
    lines = []
    for row in page.cssselect("table[data-board] tr[data-submission]"):
        (score,) = row.cssselect("td[data-metric=dataset_score]")
        rank, agent = row.cssselect("td, th")[:2]
        (name,) = agent.cssselect(f"a[href$='{row.get('data-submission')}/']")[:1]
        lines.append(f"{words(rank).split()[0]:6}{words(name):14}{float(score.get('data-value', 'nan')):.1f}\n")
    return "".join(lines)


def changelog_in(folder: Path) -> str:
    """What the changelog says about the submission."""
    page = html.fromstring((folder / "site/changelog/index.html").read_bytes())
    (item,) = {words(link.getparent()) for link in page.cssselect(f"main a[href*='{SUBMISSION}/']")}
    return f"{item}\n"


def release_in(folder: Path) -> str:
    """The first sentence of the release's page."""
    page = html.fromstring((folder / "site/changelog/2026-07-03/index.html").read_bytes())
    (answer,) = page.cssselect("[data-answer]")
    return f"{words(answer)}\n"


def test_what_each_person_sees_is_as_the_page_shows_it(folder: Path, pytestconfig: pytest.Config) -> None:
    page = guide("pull-request")
    text = page.read_text(encoding="utf-8")
    shown = dict(BLOCK.findall(text))
    seen = {
        "comment": comment_in(folder),
        "board": board_in(folder),
        "changelog": changelog_in(folder),
        "release": release_in(folder),
    }
    if pytestconfig.getoption("--update-golden"):
        for title, content in seen.items():
            text = text.replace(f'title="{title}"\n{shown[title]}```', f'title="{title}"\n{content}```')
        page.write_text(text, encoding="utf-8")
    else:
        assert shown == seen
