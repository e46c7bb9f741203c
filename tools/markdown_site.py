"""Sites to compare ours with: an empty one, and our pages written as Markdown."""

import shutil
from pathlib import Path

import lxml.html
from page_budgets import CONTENT

MARKS = {
    "p": "\n\n{}",
    "li": "\n- {}",
    "dt": "\n\n**{}**",
    "dd": "\n\n{}",
    "code": "`{}`",
    "script": "",
    "style": "",
}
MARKS |= {"table": "\n\n{}", "tr": "\n|{}", "td": " {} |", "th": " {} |"}
MARKS |= {f"h{level}": f"\n\n{'#' * level} {{}}" for level in range(1, 5)}
"""Elements that Markdown has marks for."""


def empty_project(folder: Path) -> Path:
    """Create the smallest project with the theme and its search."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# Empty\n", encoding="utf-8")
    settings = "site_name: Empty\ntheme: {name: material, font: false}\nplugins: [search]\n"
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    return folder


def markdown_project(site: Path, folder: Path) -> Path:
    """Write the generated pages of a site as Markdown with pipe tables, outside the navigation."""
    shutil.rmtree(folder, ignore_errors=True)
    empty_project(folder)
    with (folder / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write(
            "nav: [index.md]\nnot_in_nav: '*'\nvalidation: {links: {not_found: ignore}}\n"
        )
    for page in site.rglob("index.html"):
        content = CONTENT.search(page.read_text(encoding="utf-8"))
        if content:
            target = folder / "docs" / page.relative_to(site).with_suffix(".md")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(as_markdown(lxml.html.fromstring(content[0])), encoding="utf-8")
    return folder


def as_markdown(element: lxml.html.HtmlElement) -> str:
    """Return an element of a page as equivalent Markdown."""
    if not isinstance(element.tag, str):  # a comment
        return ""
    texts = [_line(element.text), *(as_markdown(child) + _line(child.tail) for child in element)]
    inside = "".join(texts)
    if element.tag == "a":
        return f"[{inside}]({element.get('href')})"
    if element.tag == "thead":
        return f"{inside}\n|" + " --- |" * len(element[0])
    return MARKS.get(element.tag, "{}").replace("{}", inside)


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
