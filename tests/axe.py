"""What axe-core finds wrong with a page."""

from node_tools import package
from playwright.sync_api import Page

LOOKS = """() => {
  for (const each of document.body.querySelectorAll("*")) {
    const { color, backgroundColor, fontSize } = getComputedStyle(each);
    const { width, height } = each.getBoundingClientRect();
    (each.looks ??= []).push(color, backgroundColor, fontSize, Math.min(width, height) < 24);
  }
}"""
"""Notes of each element how it looks in this window."""

COPIES = """() => {
  const kinds = new Map(), often = new Map(), copies = [];
  const naming = [...document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]")];
  const named = new Set(naming.flatMap(each => [...each.attributes]).flatMap(({ value }) => value.split(" ")));
  for (const each of document.body.querySelectorAll("*")) {
    const attributes = [...each.attributes].map(({ name, value }) => `${name} ${value === ""}`);
    const own = [each.tagName, each.getAttribute("class"), attributes, each.textContent.trim() === ""];
    kinds.set(each, `${kinds.get(each.parentElement)} > ${[...own, ...each.looks ?? []]}`);
  }
  const isCopy = each => often.get(kinds.get(each)) > 1 && !each.control && !named.has(each.id);
  const visit = parent => {
    const beside = new Set();
    for (const each of parent.children) {
      const kind = kinds.get(each);
      if (beside.has(kind) && [each, ...each.querySelectorAll("*")].every(isCopy)) copies.push(each);
      else visit(each);
      beside.add(kind);
      often.set(kind, 1 + (often.get(kind) ?? 0));
    }
  };
  visit(document.body);
  return copies;
}"""
"""What looks like an element beside it and two on the page, as does all that it holds, and gives nothing its name."""

RULES = """async only => {
  const unasked = ["wcag2aaa", "experimental", "deprecated", "obsolete"];
  const asked = axe.getRules().filter(({ tags }) => !tags.some(tag => unasked.includes(tag)));
  const runOnly = { type: "rule", values: only ?? asked.map(({ ruleId }) => ruleId) };
  const { violations, passes } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  const found = violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id} (${impact}) at ${target}: ${failureSummary.split("\\n")[1]?.trim()}`
  )));
  return { found, passed: passes.length };
}"""
"""Every rule but experimental ones and those of level AAA: best practices too, and sizes of targets."""

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on colours."""


WIDE, NARROW = 1440, 390
"""Widths of windows."""


def wrong_with(page: Page) -> list[str]:
    """Give what axe-core finds, a line each; the page is of no more use."""
    page.evaluate(LOOKS)
    _ready(page)
    return _found(page)


def wrong_at_any_size(page: Page, *widths: int) -> list[str]:
    """Give what axe-core finds in each width, in the light scheme and of the colours of the dark one.

    The page is of no more use. Without widths, a wide and a narrow window are looked through.
    """
    widths = widths or (WIDE, NARROW)
    page.emulate_media(color_scheme="light")
    for width in reversed(widths):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LOOKS)
    _ready(page)
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: {each}" for each in _found(page)]
        page.emulate_media(color_scheme="dark")
        told = page.evaluate(RULES, COLOURS)
        assert told["passed"], "axe looked at the page"
        found += [f"{width}, dark: {each}" for each in told["found"]]
        page.emulate_media(color_scheme="light")
    return found


def _ready(page: Page) -> None:
    """Put axe-core into a page, and take out what axe would only look at a third time."""
    page.evaluate(f"({COPIES})().forEach(each => each.remove())")
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))


def _found(page: Page) -> list[str]:
    told = page.evaluate(RULES)
    assert told["passed"] > 10, "axe looked at the page"
    return list(told["found"])
