"""What axe-core finds wrong with a page."""

from node_tools import package
from playwright.sync_api import Page

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


def wrong_with(page: Page) -> list[str]:
    """Give what axe-core finds, a line each."""
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))
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
