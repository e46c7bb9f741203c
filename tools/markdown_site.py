"""Sites to hold ours against: one that is empty, and our pages written as Markdown."""

import html.parser
import re
import shutil
from pathlib import Path
from typing import ClassVar

GENERATED = re.compile(r'<article[^>]* class="[^"]*\bsg"')
"""What only generated pages have."""


def empty_project(folder: Path) -> Path:
    """Make the smallest project that has the theme and its search."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# Empty\n", encoding="utf-8")
    settings = "site_name: Empty\ntheme: {name: material, font: false}\nplugins: [search]\n"
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    return folder


def markdown_project(site: Path, folder: Path) -> Path:
    """Write the generated pages of a site as Markdown, tables as pipe tables, outside of the navigation."""
    shutil.rmtree(folder, ignore_errors=True)
    empty_project(folder)
    with (folder / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write("nav: [index.md]\nnot_in_nav: '*'\nvalidation: {links: {not_found: ignore}}\n")
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("index.html")}
    generated = {page: text for page, text in texts.items() if GENERATED.search(text)}
    if not generated:
        raise SystemExit(f"there are no generated pages in {site} to write as Markdown: the frame of pages has changed")
    for page, text in generated.items():
        target = folder / "docs" / page.relative_to(site).with_suffix(".md")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(as_markdown(text), encoding="utf-8")
    return folder


class Writer(html.parser.HTMLParser):
    """Turns a generated page into Markdown that says the same."""

    opening: ClassVar = {"h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "h4": "\n\n#### ", "p": "\n\n"}
    opening |= {"li": "\n- "}
    opening |= {"dt": "\n\n**", "dd": "\n\n", "table": "\n\n", "tr": "\n|", "td": " ", "th": " ", "code": "`"}
    closing: ClassVar = {"dt": "**", "td": " |", "th": " |", "code": "`"}

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.inside = False
        self.cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin what Markdown has a mark for."""
        given = dict(attrs)
        self.inside = self.inside or (tag == "article" and "sg" in (given.get("class") or "").split())
        if tag == "a" and self.inside:
            self.parts.append("[")
            self.href = given.get("href") or ""
        elif self.inside:
            self.parts.append(self.opening.get(tag, ""))
        self.cells = 0 if tag == "tr" else self.cells + (tag in {"td", "th"})

    def handle_endtag(self, tag: str) -> None:
        """End what Markdown has a mark for."""
        if not self.inside:
            return
        if tag == "a":
            self.parts.append(f"]({self.href})")
        elif tag == "thead":
            self.parts.append("\n|" + " --- |" * self.cells)
        else:
            self.parts.append(self.closing.get(tag, ""))
        self.inside = tag != "main"

    def handle_data(self, data: str) -> None:
        """Keep the text, on one line."""
        if self.inside:
            self.parts.append(" ".join(data.split()).replace("|", "\\|"))


def as_markdown(text: str) -> str:
    """Write one page as Markdown."""
    writer = Writer()
    writer.feed(text)
    return "".join(writer.parts)
