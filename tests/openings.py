"""What happens when a reader opens a page, and what the page then holds: each is opened once, for all who ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from playwright.sync_api import ConsoleMessage, Page, Request
from shifts import shifted

POLICY = "head > meta[http-equiv='Content-Security-Policy']"

COUNTS = """() => {
  const parts = ["tbody tr[data-submission]", "[data-cell]", "[data-case]", "table", "figure svg"];
  const count = part => [...document.querySelectorAll(part)].filter(each => !each.closest("[data-comparison]")).length;
  return Object.fromEntries(parts.map(part => [part, count(part)]));
}"""
"""How many rows, cells, cases, tables and charts there are, but those of a comparison, which scripts make."""


@dataclass(frozen=True)
class Opening:
    """A page that was opened with scripts on, and has come to rest."""

    requests: Sequence[str]
    messages: Sequence[str]
    """Errors and warnings, of the console and of scripts."""
    shifted: float
    """How far its parts jumped."""
    policy: str
    """What it may load and run."""
    before_policy: int
    """How many scripts, links and styles come before its policy."""
    counts: Mapping[str, int]


def opened(page: Page, address: str) -> Opening:
    """Open a page whose shifts are watched."""
    requests: list[str] = []
    messages: list[str] = []
    listeners = {
        "request": partial(_note_request, requests),
        "console": partial(_note_message, messages),
        "pageerror": lambda error: messages.append(str(error)),
    }
    page.goto("about:blank")
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload] # one of its overloads takes each
    page.goto(address)
    jumped = shifted(page)
    found = Opening(
        requests,
        messages,
        jumped,
        str(page.locator(POLICY).get_attribute("content")),
        page.locator(f"head > :is(script, link, style):not({POLICY} ~ *)").count(),
        page.evaluate(COUNTS),
    )
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    return found


def _note_request(noted: list[str], request: Request) -> None:
    noted.append(request.url)


def _note_message(noted: list[str], message: ConsoleMessage) -> None:
    if message.type in {"error", "warning"}:
        noted.append(message.text)
