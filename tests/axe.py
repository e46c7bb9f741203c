"""What axe-core finds wrong with a page."""

from node_tools import package
from playwright.sync_api import Page

COPIES = """() => {
  const kinds = new Map(), often = new Map(), copies = [];
  const naming = [...document.querySelectorAll("[aria-labelledby], [aria-describedby], [aria-controls]")];
  const named = new Set(naming.flatMap(each => [...each.attributes]).flatMap(({ value }) => value.split(" ")));
  for (const each of document.body.querySelectorAll("*")) {
    const { color, backgroundColor, fontSize } = getComputedStyle(each);
    const { width, height } = each.getBoundingClientRect();
    const attributes = [...each.attributes].map(({ name, value }) => `${name} ${value === ""}`);
    const own = [each.tagName, each.getAttribute("class"), attributes, each.textContent.trim() === ""];
    const about = [...own, color, backgroundColor, fontSize, Math.min(width, height) < 24];
    kinds.set(each, `${kinds.get(each.parentElement)} > ${about}`);
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


def ready(page: Page) -> None:
    """Put axe-core into a page, and take out what axe would only look at a third time; the page is of no more use."""
    page.evaluate(f"({COPIES})().forEach(each => each.remove())")
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))


def wrong_with(page: Page) -> list[str]:
    """Give what axe-core finds, a line each."""
    ready(page)
    told = page.evaluate(RULES)
    assert told["passed"] > 10, "axe looked at the page"
    return list(told["found"])


def wrong_in_either_scheme(page: Page) -> list[str]:
    """Give what axe-core finds with a page in the light scheme, and with its colours in the dark one."""
    page.emulate_media(color_scheme="light")
    light = wrong_with(page)
    page.emulate_media(color_scheme="dark")
    told = page.evaluate(RULES, COLOURS)
    assert told["passed"], "axe looked at the page"
    page.emulate_media(color_scheme="light")
    return [*light, *(f"dark: {each}" for each in told["found"])]
