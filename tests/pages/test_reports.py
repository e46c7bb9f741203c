"""Addresses that open a report: filled in for trackers that are known, encoded, and never too long."""

from urllib.parse import parse_qs, urlsplit

import pytest

from sitegen.pages.reports import MAX_ADDRESS_LENGTH, ProblemReport, ReportLinks, body_of, report_address

GITHUB = "https://github.com/acme/results/issues"
HOSTILE = '"><script>&title=x#`\n```\n@everyone ~case~ {body} %00 \x1b[31m 例え'
ABOUT = ProblemReport("Acme-1 on tidy", "mini/main/acme/tidy/", {"Benchmark": "mini", "Task": "tidy", "Shown": ""})


def fields(address: str) -> dict[str, str]:
    """Read a form's fields as the tracker does."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query, keep_blank_values=True).items()}


@pytest.mark.parametrize(
    "issues",
    [
        GITHUB,
        f"{GITHUB}/",
        f"{GITHUB}/new",
        f"{GITHUB}#top",
        "https://www.GitHub.com/acme/results/issues",
    ],
)
def test_github_gets_title_and_body(issues: str) -> None:
    address = report_address(issues, "A & B", "one\ntwo")
    assert urlsplit(address).path == "/acme/results/issues/new"
    assert fields(address) == {"title": "A & B", "body": "one\ntwo"}


def test_what_a_tracker_is_asked_already_stays() -> None:
    assert fields(report_address(f"{GITHUB}/new?template=row.md", "A", "B")) == {
        "template": "row.md",
        "title": "A",
        "body": "B",
    }


@pytest.mark.parametrize("end", ["", "/", "/new"])
def test_any_gitlab_gets_its_own_fields(end: str) -> None:
    address = report_address(f"https://git.example.org/group/sub/results/-/issues{end}", "A", "B")
    assert urlsplit(address).path == "/group/sub/results/-/issues/new"
    assert fields(address) == {"issue[title]": "A", "issue[description]": "B"}


def test_placeholders_are_filled_in_wherever_they_stand() -> None:
    address = report_address("https://example.org/new/{title}?text={body}&kind=row", "a/b {body}", "c&d")
    assert address == "https://example.org/new/a%2Fb%20%7Bbody%7D?text=c%26d&kind=row"


@pytest.mark.parametrize(
    "issues",
    [
        "https://example.org/contact",
        "https://github.com/acme/results",
        "https://github.com.example.org/acme/results/issues",
        "https://example.org/github.com/acme/results/issues",
    ],
)
def test_a_tracker_that_is_not_known_is_a_plain_link(issues: str) -> None:
    assert report_address(issues, "A", "B") == issues


def test_a_report_names_the_page_first_and_then_the_facts_that_there_are() -> None:
    text = body_of(ABOUT, "https://example.org/boards/")
    assert text.splitlines()[3:] == [
        "Page: https://example.org/boards/mini/main/acme/tidy/",
        "",
        "```text",
        "Benchmark: mini",
        "Task: tidy",
        "```",
    ]


def test_a_site_without_an_address_gives_the_path() -> None:
    assert "Page: /mini/main/acme/tidy/\n" in body_of(ABOUT, "/")


def test_a_hostile_name_stays_inside_its_field_and_its_line() -> None:
    """Neither the address nor the block of code that the facts stand in can be left."""
    report = ProblemReport(HOSTILE, "x/", {"Case": HOSTILE, "Shown": "failed"})
    address = ReportLinks("https://example.org/").link(GITHUB, report)
    assert not set(address) & set("\"<>#`' \n")
    form_fields = fields(address)
    assert set(form_fields) == {"title", "body"}
    block = form_fields["body"].partition("```text\n")[2].splitlines()
    assert [line.partition(":")[0] for line in block] == ["Case", "Shown", "```"]
    assert "\x1b" not in form_fields["body"]


@pytest.mark.parametrize("letter", ["a", "例", "\N{BUG}", "%", "\n"])
@pytest.mark.parametrize("length", [10, 400, 5000])
def test_no_address_is_too_long_and_none_is_cut_inside_a_letter(letter: str, length: int) -> None:
    address = report_address(GITHUB, letter * length, f"x{letter * length}")
    assert len(address) <= MAX_ADDRESS_LENGTH
    assert "\N{REPLACEMENT CHARACTER}" not in "".join(fields(address).values())


def test_a_body_that_is_cut_says_so() -> None:
    body = fields(report_address(GITHUB, "A", "word " * 1000))["body"]
    assert body.startswith("word word")
    assert body.endswith("…")


def test_a_letter_that_is_half_of_one_does_not_stop_a_page() -> None:
    assert fields(report_address(GITHUB, "a\ud800b", "c")) == {"title": "a?b", "body": "c"}


def test_a_page_has_the_address_of_reports_about_its_cases_once_with_fields_for_a_case() -> None:
    address = ReportLinks("https://example.org/").case_form(GITHUB, ABOUT)
    assert len(address) <= MAX_ADDRESS_LENGTH
    assert address.count("%7Bcase%7D") == 2
    assert f"{ABOUT.page}#{{anchor}}" in fields(address)["body"]
    assert "Case: {case}\nShown: {shown}\n" in fields(address)["body"]


def test_where_nobody_takes_reports_there_is_no_address() -> None:
    assert ReportLinks().link(None, ABOUT) == ""
    assert ReportLinks().case_form(None, ABOUT) == ""
