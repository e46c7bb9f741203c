"""What axe-core finds wrong with a page."""

from collections.abc import Sequence

from node_tools import package
from playwright.sync_api import Page

LOOKS = """() => {
  for (const each of document.body.querySelectorAll("*")) {
    const { color, backgroundColor, fontSize } = getComputedStyle(each);
    const { width, height } = each.getBoundingClientRect();
    (each.looks ??= []).push([color, backgroundColor, fontSize, Math.min(width, height) < 24, each.checkVisibility()]);
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

RULES = """() => {
  const unasked = ["wcag2aaa", "experimental", "deprecated", "obsolete"];
  return axe.getRules().filter(({ tags }) => !tags.some(tag => unasked.includes(tag))).map(({ ruleId }) => ruleId);
}"""
"""Every rule but experimental ones and those of level AAA: best practices too, and sizes of targets."""

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on colours."""

FOUND = """async ([runOnly, isNews]) => {
  const isNew = ({ looks: [narrow, wide] = [] }) => `${narrow}` !== `${wide}`;
  const isFirst = each => isNew(each) && !isNew(each.parentElement);
  const include = isNews ? [...document.body.querySelectorAll("*")].filter(isFirst) : [document];
  if (!include.length) return { found: [], passed: 0 };
  const { violations, passes } = await axe.run({ include }, { runOnly, resultTypes: ["violations"] });
  const found = violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, failureSummary }) => (
    `${id} (${impact}) at ${target}: ${failureSummary.split("\\n")[1]?.trim()}`
  )));
  return { found, passed: passes.length };
}"""
"""Holds to rules the whole page, or only what looks otherwise in a narrow window than in a wide one."""


WIDE, NARROW = 1440, 390
"""Widths of windows."""


def wrong_with(page: Page) -> list[str]:
    """Give what axe-core finds, a line each; the page is of no more use."""
    page.evaluate(LOOKS)
    return _found(page, ready(page), "light")


def wrong_in_either_scheme(page: Page) -> list[str]:
    """Give what axe-core finds in the light scheme, and of the colours of the dark one; the page is of no more use."""
    page.emulate_media(color_scheme="light")
    page.evaluate(LOOKS)
    return _wrong(page, ready(page))


def wrong_at_any_size(page: Page) -> list[str]:
    """Give what axe-core finds in a wide window and in a narrow one; the page is of no more use.

    Of colours in the narrow one, what looks as it did in the wide one is not looked at again.
    """
    page.emulate_media(color_scheme="light")
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LOOKS)
    rules = ready(page)
    found = _wrong(page, rules)
    page.set_viewport_size({"width": NARROW, "height": 900})
    found += _found(page, COLOURS, "dark, narrow", is_news=True)
    page.emulate_media(color_scheme="light")
    found += _found(page, COLOURS, "narrow", is_news=True)
    return found + _found(page, [each for each in rules if each not in COLOURS], "narrow")


def ready(page: Page) -> list[str]:
    """Put axe-core into a page with `LOOKS`, take out what it would only look at a third time, and give its rules."""
    page.evaluate(f"({COPIES})().forEach(each => each.remove())")
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))
    return list(page.evaluate(RULES))


def _wrong(page: Page, rules: Sequence[str]) -> list[str]:
    found = _found(page, rules, "light")
    page.emulate_media(color_scheme="dark")
    return found + _found(page, COLOURS, "dark")


def _found(page: Page, rules: Sequence[str], where: str, *, is_news: bool = False) -> list[str]:
    told = page.evaluate(FOUND, [rules, is_news])
    assert rules is COLOURS or told["passed"] > 10, "axe looked at the page"
    return [f"{where}: {each}" for each in told["found"]]
