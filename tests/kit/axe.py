"""What axe-core finds wrong with a page."""

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

NEWS = """() => {
  const isNew = ({ looks: [one, other, ...more] = [0, 1] }) => (
    `${one}` !== `${other}` || `${more[0]}` !== `${more[1]}`
  );
  for (const each of document.body.querySelectorAll("*")) each.toggleAttribute("data-news", isNew(each));
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-news], [data-news] *" }] });
}"""
"""From now on holds to contrast only what looked otherwise in one window than in the other."""

FOUND = """async runOnly => {
  const reporter = (rules, _, tell) => tell({
    found: rules.flatMap(({ id, violations }) => violations.map(({ impact, node, any, all, none }) => (
      `${id} (${impact}) at ${node.selector}: ${[...any, ...all, ...none][0].message}`
    ))),
    passed: rules.filter(({ passes }) => passes.length).length,
  });
  return axe.run({ runOnly, reporter, preload: { assets: ["media"] } });
}"""
"""Holds the page to rules; none of them reads style sheets, which are not loaded once more."""


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

    In the wide one, the contrast of what looks as it did in the narrow one is not looked at again.
    """
    page.emulate_media(color_scheme="light")
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LOOKS)
    rules = ready(page)
    found = _wrong(page, rules)
    page.evaluate(LOOKS)
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.evaluate(LOOKS)
    page.evaluate(NEWS)
    found += _found(page, COLOURS, "dark, wide")
    page.emulate_media(color_scheme="light")
    return found + _found(page, rules, "wide")


def ready(page: Page) -> list[str]:
    """Put axe-core into a page with `LOOKS`, take out what it would only look at a third time, and give its rules."""
    page.evaluate(f"({COPIES})().forEach(each => each.remove())")
    page.evaluate(package("axe-core", "axe.min.js").read_text(encoding="utf-8"))
    return list(page.evaluate(RULES))


def _wrong(page: Page, rules: Sequence[str]) -> list[str]:
    found = _found(page, rules, "light")
    page.emulate_media(color_scheme="dark")
    return found + _found(page, COLOURS, "dark")


def _found(page: Page, rules: Sequence[str], where: str) -> list[str]:
    told = page.evaluate(FOUND, rules)
    assert rules is COLOURS or told["passed"] > 10, "axe looked at the page"
    return [f"{where}: {each}" for each in told["found"]]
