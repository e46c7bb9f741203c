"""Faults that axe-core finds in a page."""

from collections.abc import Sequence

from playwright.sync_api import Page

from kit.node_tools import package

LOOKS = """() => {
  for (const each of document.body.querySelectorAll("*")) {
    const { color, backgroundColor, fontSize } = getComputedStyle(each);
    const { width, height } = each.getBoundingClientRect();
    (each.looks ??= []).push([color, backgroundColor, fontSize, Math.min(width, height) < 24, each.checkVisibility()]);
  }
}"""
"""Records the appearance of each element in this window."""

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
"""Returns unreferenced elements that look like an adjacent element and two on the page, content included."""

RULES = """() => {
  const unasked = ["wcag2aaa", "experimental", "deprecated", "obsolete"];
  return axe.getRules().filter(({ tags }) => !tags.some(tag => unasked.includes(tag))).map(({ ruleId }) => ruleId);
}"""
"""Returns all rules, including best practices and target sizes, except experimental rules and those of level AAA."""

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on colours."""

NEWS = """() => {
  const isNew = ({ looks: [one, other, ...more] = [0, 1] }) => (
    `${one}` !== `${other}` || `${more[0]}` !== `${more[1]}`
  );
  for (const each of document.body.querySelectorAll("*")) each.toggleAttribute("data-news", isNew(each));
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-news], [data-news] *" }] });
}"""
"""Limits the contrast rule to elements that look different in the other window."""

FOUND = """async runOnly => {
  const reporter = (rules, _, tell) => tell({
    found: rules.flatMap(({ id, violations }) => violations.map(({ impact, node, any, all, none }) => (
      `${id} (${impact}) at ${node.selector}: ${[...any, ...all, ...none][0].message}`
    ))),
    passed: rules.filter(({ passes }) => passes.length).length,
  });
  return axe.run({ runOnly, reporter, preload: { assets: ["media"] } });
}"""
"""Checks rules; no rule reads style sheets, so they are not loaded again."""


WIDE, NARROW = 1440, 390
"""Widths of windows in pixels."""


def wrong_with(page: Page) -> list[str]:
    """Return the faults that axe-core finds, one per line; the page cannot be used afterwards."""
    page.evaluate(LOOKS)
    return _found(page, ready(page), "light")


def wrong_in_either_scheme(page: Page) -> list[str]:
    """Return the faults in the light scheme, and colour faults in the dark one; the page cannot be used afterwards."""
    page.emulate_media(color_scheme="light")
    page.evaluate(LOOKS)
    return _wrong(page, ready(page))


def wrong_at_any_size(page: Page) -> list[str]:
    """Return the faults in a wide and a narrow window; the page cannot be used afterwards.

    In the wide window, contrast is only checked for elements that looked different in the narrow one.
    """
    page.emulate_media(color_scheme="light")
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LOOKS)
    rules = ready(page)
    violations = _wrong(page, rules)
    page.evaluate(LOOKS)
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.evaluate(LOOKS)
    page.evaluate(NEWS)
    violations += _found(page, COLOURS, "dark, wide")
    page.emulate_media(color_scheme="light")
    return violations + _found(page, rules, "wide")


def ready(page: Page) -> list[str]:
    """Load axe-core into a page with `LOOKS`, remove elements that are repeated, and return the rules."""
    page.evaluate(f"({COPIES})().forEach(each => each.remove())")
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))
    return list(page.evaluate(RULES))


def _wrong(page: Page, rules: Sequence[str]) -> list[str]:
    violations = _found(page, rules, "light")
    page.emulate_media(color_scheme="dark")
    return violations + _found(page, COLOURS, "dark")


def _found(page: Page, rules: Sequence[str], appearance: str) -> list[str]:
    report = page.evaluate(FOUND, rules)
    assert rules is COLOURS or report["passed"] > 10, "axe looked at the page"
    return [f"{appearance}: {violation}" for violation in report["found"]]
