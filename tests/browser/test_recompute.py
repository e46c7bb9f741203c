"""Rows are worked out again in the browser, from files that fit the site's list."""

import json
import re
from pathlib import Path
from random import Random

from kit import built_sites as built
from kit.thoroughness import examples
from playwright.sync_api import Page, Route, expect


def boards(site: Path) -> list[str]:
    """Address every board that has submissions."""
    rules = json.loads((site / "api/v1/rules.json").read_text(encoding="utf-8"))
    return [f"{board['benchmark']}/{board['track']}" for board in rules["boards"] if board["submissions"]]


def published(site: Path, board: str) -> int:
    """Count the values of a board's own submissions that are no gap."""
    submissions = json.loads((site / f"api/v1/{board}.json").read_text(encoding="utf-8"))["submissions"]
    own_submissions = [submission for submission in submissions if submission["coverage"]["rounds"] is not None]
    return sum(score["value"] is not None for submission in own_submissions for score in submission["metrics"].values())


def test_every_row_of_the_shipped_site_comes_out_the_same(page: Page, own_site: str) -> None:
    site = built.own_site()
    for board in boards(site):
        page.goto(f"{own_site}{board}/")
        page.get_by_role("button", name="Recompute these scores").click()
        status = page.locator("[data-recompute] + [role=status]")
        expect(status).to_contain_text(re.compile("agree|differ|can't"))
        assert (status.text_content() or "").startswith(f"{published(site, board)} values agree"), board


def test_any_changed_byte_is_noticed(page: Page, own_site: str) -> None:
    site, dice = built.own_site(), Random(1)  # noqa: S311 - to be repeated
    board = boards(site)[0]
    row = next(iter(sorted(path.parent for path in (site / board).glob("2*/index.html"))))
    name = f"data/{board.split('/')[0]}/submissions/{row.name}/rounds.jsonl"
    content = (site / name).read_bytes()

    def tampered(route: Route) -> None:
        position = dice.randrange(len(content))
        changed_byte = bytes([content[position] ^ dice.randint(1, 255)])
        route.fulfill(body=content[:position] + changed_byte + content[position + 1 :])

    page.route(f"**/{name}", tampered)
    page.goto(f"{own_site}{board}/{row.name}/")
    noticed = page.evaluate(
        """async ([root, address, turns]) => {
          const { recomputed } = await import(root + "assets/scripts/recompute.js");
          const found = [];
          for (let turn = 0; turn < turns; turn += 1) found.push((await recomputed(root, address)).bad.join());
          return found;
        }""",
        [own_site, f"{board}/{row.name}", examples(100)],
    )
    assert noticed == [name] * examples(100)
    page.get_by_role("button", name="Recompute these scores").click()
    expect(page.get_by_role("status").filter(has_text="differ from the site's list")).to_contain_text(name)
