"""Transcripts in a browser: read where the submission says they are, and only when a reader wants it; harmless."""

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from kit.axe import wrong_at_any_size
from kit.command import done
from kit.real_data import real_data
from kit.transcripts import LONG, SPENT, TIDY, name_transcripts, ran, served, transcript, user, write_files
from playwright.sync_api import ConsoleMessage, Page, expect

pytestmark = pytest.mark.browser

OWN = "2026-01-22-alder-1"
"""Its transcripts lie on the site itself, one a round."""
ABROAD = "2026-03-23-birch-large"
"""Its transcripts lie on another host, one an attempt."""

HOSTILE = transcript(
    user("<script>document.title = 'taken'</script><img src='x.png' onerror='document.title = \"taken\"'>"),
    ran(
        "printf '\x1b[31mred\x1b[0m\x07'\n",
        [
            {"type": "text", "text": "</pre><b>bold</b>"},
            {"type": "image", "source": {"path": "http://127.0.0.1:9/x.png"}},
        ],
        message="\u202eturned [a link](javascript:alert(1))",
    ),
    agent={"name": "<i>agent</i>", "version": "1", "model_name": "m"},
    notes="<u>notes</u>",
)
HELPER = transcript({"source": "agent", "message": "The helper looked."}, trajectory_id="t2", agent={"name": "helper"})
ASKED = {"source_call_id": "c1", "content": None}
GOES_ON = transcript(
    ran("ask\n", "", observation={"results": [{**ASKED, "subagent_trajectory_ref": [{"trajectory_id": "t2"}]}]}),
    ran(
        "sum up\n",
        "",
        observation={"results": [{**ASKED, "subagent_trajectory_ref": [{"trajectory_path": "beside.json"}]}]},
    ),
    ran(
        "out\n",
        "",
        observation={"results": [{**ASKED, "subagent_trajectory_ref": [{"trajectory_path": "../1/1.json"}]}]},
    ),
    {"source": "agent", "message": "The context is full.", "metrics": SPENT},
    continued_trajectory_ref="rest.json",
    subagent_trajectories=[HELPER],
)
REST = transcript(
    user("What was before.", is_copied_context=True, metrics=SPENT),
    {"source": "agent", "message": "And so it ends.", "metrics": SPENT},
)
ROUNDS = transcript(*(ran(f"work {number}\n", LONG, extra={"round": number}) for number in (1, 1, 2, 2)))
MANY = transcript(*(ran(f"make step-{number}\n", LONG, metrics=SPENT) for number in range(1, 221)))


class Site(NamedTuple):
    """Addresses of the two submissions' pages of transcripts, and of the other host."""

    own: str
    abroad: str
    host: str
    root: str


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with transcripts, and another host that lets its attempt 1 be read from elsewhere, and no other."""
    work = tmp_path_factory.mktemp("transcripts")
    write_files(work / "files", {"river-gauge/1.json": ROUNDS, "river-gauge/2.json": ROUNDS})
    with ExitStack() as servers:
        host = servers.enter_context(served(work / "files", "localhost", allowed=["/river-gauge/1"]))
        done("demo", work / "results", "--agents", "4", "--tasks", "2", "--attempts", "2")
        bundles = work / "results" / "demo" / "submissions"
        name_transcripts(bundles / OWN, "transcripts/{task}/{attempt}/{round}.json")
        name_transcripts(bundles / ABROAD, f"{host}{{task}}/{{attempt}}.json")
        done("build", "--results", work / "results", "--site", work / "site")
        transcripts = dict(enumerate((TIDY, HOSTILE, GOES_ON, "no { JSON", {"no": "steps"}), start=1))
        files = {f"1/{number}.json": content for number, content in transcripts.items()}
        files |= {"1/rest.json": REST, "1/beside.json": HELPER, "2/1.json": MANY}
        write_files(work / "site" / "transcripts" / "river-gauge", files)
        root = servers.enter_context(served(work / "site"))
        own_address, abroad = (f"{root}demo/chain/{name}/tasks/trajectory/" for name in (OWN, ABROAD))
        yield Site(own_address, abroad, host, root)


def opened(page: Page, site: Site, number: int, more: str = "", attempt: int = 1) -> None:
    """Open the transcript of a round."""
    page.goto(f"{site.own}?task=river-gauge&attempt={attempt}&round={number}{more}")


def expect_asks(page: Page, hosts: str) -> None:
    """Find that a page may ask these hosts alone."""
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert f"connect-src {hosts};" in str(policy)


def expect_steps(page: Page, *heads: str) -> None:
    """Wait until these are the heads of the steps that are seen."""
    expect(page.locator("[data-steps] .sg-turn h3").filter(visible=True)).to_have_text(heads)


def test_a_transcript_of_the_site_opens_at_once_and_shows_what_was_said_run_and_seen(page: Page, site: Site) -> None:
    opened(page, site, 1)
    expect_asks(page, "'self'")
    expect_steps(page, "Step 1 user", "Step 2 agent", "Step 3 agent", "Step 4 agent")
    expect(page.locator("h1")).to_have_text(
        re.compile(r"^Alder-1 on .*, attempt 1, round 1 Alder-1 took 4 steps in round 1 of ")
    )
    facts = dict(
        zip(
            page.locator("[data-facts] dt").all_inner_texts(),
            page.locator("[data-facts] dd").all_inner_texts(),
            strict=True,
        )
    )
    assert facts == {
        "Agent": "terminus-2 2.0.0",
        "Model": "demo/alder-1",
        "Steps": "4 (1 user, 3 agent)",
        "Tool calls": "2",
        "Time": "2 min 0 s",
        "Format": "ATIF-v1.7",
        "Total effort": "3,000 tokens in (2,400 cached) · 150 out · $0.0030",
    }
    second, third = page.locator("#step-2"), page.locator("#step-3")
    expect(second.locator(".sg-facts")).to_have_text(
        "10:00:05 · 1,000 tokens in (800 cached) · 50 out · $0.0010 · so far 1,000 in, 50 out, $0.0010"
    )
    expect(second.locator("[data-kind=message] .sg-words")).to_have_text("I look at what is here.")
    expect(second.locator("[data-kind=call] code")).to_have_text("ls -la")
    expect(second.locator("[data-kind=result] .sg-words")).to_have_text("ledger.txt")
    expect(second.get_by_text("First find the ledger.")).to_have_count(0)
    second.get_by_text("Reasoning, 2 lines").click()
    expect(second.get_by_text("First find the ledger.")).to_be_visible()
    expect(third.locator("[data-kind=result] .sg-words")).to_have_text(re.compile("line 10 of the log\n?$"))
    third.get_by_text("90 lines more").click()
    expect(third.get_by_text("line 100 of the log")).to_be_visible()
    page.get_by_role("button", name="Collapse all").click()
    expect(page.get_by_text("line 100 of the log")).to_be_hidden()
    page.get_by_role("button", name="Expand all").click()
    expect(page.get_by_text("line 100 of the log")).to_be_visible()
    expect(page.get_by_text("First find the ledger.")).to_be_visible()


def test_a_transcript_that_harbor_wrote_is_shown(page: Page, site: Site) -> None:
    job = real_data("harbor", "harbor-0.9.0", "results", "demo-counter-chain", "harbor_jobs", "alpha")
    (file,) = job.glob("*/*/steps/round-3/agent/trajectory.json")
    page.route("**/1/1.json", lambda route: route.fulfill(path=file))
    opened(page, site, 1)
    expect(page.locator("#step-1")).to_contain_text("Make the counter do thing 3.")
    expect(page.locator("#step-2 [data-kind=call] code")).to_have_text("ls -la")
    expect(page.locator("#step-2 h3")).to_have_text("Step 2 agent")
    expect(page.locator("[data-facts]")).to_contain_text("scripted-terminus 0.0.1")


def test_what_a_transcript_says_is_never_markup(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, site, 2)
    expect(page.locator("#step-2")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.locator("[data-transcript] :is(script, img, b, i, u, iframe)")).to_have_count(0)
    expect(page.locator("#step-1")).to_contain_text("<script>document.title = 'taken'</script>")
    expect(page.locator("#step-2")).to_contain_text("[U+202E]turned [a link](javascript:alert(1))")
    expect(page.locator("#step-2 code")).to_have_text("printf 'red␇'")
    expect(page.locator("#step-2 [data-kind=result]")).to_contain_text(
        "</pre><b>bold</b>\n[image, http://127.0.0.1:9/x.png: not fetched]"
    )
    assert "taken" not in page.title()
    assert [url for url in asked if not url.startswith(site.root)] == []


def test_what_is_no_transcript_is_said_to_be_none(page: Page, site: Site) -> None:
    for number, expected_text in ((4, "The file is not JSON: "), (5, "not an ATIF transcript")):
        opened(page, site, number)
        expect(page.locator("[data-told]")).to_contain_text(expected_text)
        expect(page.locator("[data-reader]")).to_be_hidden()
        raw = page.get_by_role("link", name="Open the raw file")
        expect(raw).to_have_attribute("href", f"{site.root}transcripts/river-gauge/1/{number}.json")


def test_a_file_that_is_not_there_is_told_and_can_be_tried_again_also_by_who_was_offline(
    page: Page, site: Site
) -> None:
    opened(page, site, 2, attempt=2)
    expect(page.locator("[data-told]")).to_contain_text("has no file at this address (status 404)")
    page.evaluate("Object.defineProperty(navigator, 'onLine', { value: false })")
    page.route("**/2/2.json", lambda route: route.abort("internetdisconnected"))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-told]")).to_contain_text("This device is offline.")
    page.route("**/2/2.json", lambda route: route.fulfill(json=TIDY))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#step-4")).to_be_visible()
    expect(page.locator("[data-told]")).to_have_text("")


def test_a_file_that_is_too_large_is_not_loaded(page: Page, site: Site) -> None:
    headers = {"Content-Length": "250000000", "Content-Type": "application/json"}
    page.route("**/1/1.json", lambda route: route.fulfill(body="{}", headers=headers))
    opened(page, site, 1)
    expect(page.locator("[data-told]")).to_contain_text("larger than a page can show (250 MB; the limit is 200 MB)")


def test_loading_can_be_stopped(page: Page, site: Site) -> None:
    waiting = threading.Event()
    page.route("**/1/1.json", lambda _: waiting.set())
    opened(page, site, 1)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-told]")).to_contain_text("Loading was stopped.")


def test_no_host_but_that_of_the_submission_is_asked_and_only_when_a_reader_wants_it(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.abroad}?task=river-gauge&attempt=1")
    expect_asks(page, f"'self' {site.host.rstrip('/')}")
    name = site.host.removeprefix("http://").rstrip("/")
    button = page.get_by_role("button", name=f"Load from {name} (size unknown)")
    expect(button).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if not url.startswith(site.root)] == []
    button.click()
    expect(page.locator("#step-4")).to_be_visible()
    assert [url for url in asked if not url.startswith(site.root)] == [f"{site.host}river-gauge/1.json"]


def test_a_host_that_does_not_let_pages_read_is_told_with_the_header_that_it_lacks(page: Page, site: Site) -> None:
    page.goto(f"{site.abroad}?task=river-gauge&attempt=2")
    page.get_by_role("button", name="Load from").click()
    expect(page.locator("[data-told]")).to_contain_text("Access-Control-Allow-Origin")
    raw = page.get_by_role("link", name="Open the raw file")
    expect(raw).to_have_attribute("href", f"{site.host}river-gauge/2.json")


def test_a_query_leads_nowhere_but_to_runs_of_the_submission(page: Page, site: Site) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    foreign = ("../../../x&attempt=1&round=1", "https://evil.example/x&attempt=1", "river-gauge&attempt=7", "")
    for task in foreign:
        page.goto(f"{site.own}?task={task}")
        expect(page.locator("[data-told]")).to_contain_text("This submission has no transcript of this run.")
        expect(page.locator("[data-runs]")).to_have_attribute("open", "")
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if url.endswith(".json")] == []


def test_a_query_that_leaves_the_attempt_open_lets_the_reader_choose(page: Page, site: Site) -> None:
    page.goto(f"{site.own}?task=river-gauge&round=1")
    expect(page.locator("[data-told]")).to_contain_text("There are several transcripts of this task.")
    expect(page.locator("[data-runs] tbody tr").filter(visible=True)).to_have_count(2)
    page.locator("[data-runs] tbody tr td a").first.click()
    expect(page.locator("#step-4")).to_be_visible()


def test_a_link_to_a_step_opens_on_it(page: Page, site: Site) -> None:
    opened(page, site, 1, attempt=2, more="#step-120")
    step = page.locator("#step-120")
    expect(step).to_be_focused()
    expect(step).to_be_in_viewport()
    expect(step).to_have_attribute("data-here", "")
    expect(page.locator("#step-220")).to_be_attached()
    expect(step).to_be_in_viewport()


def test_a_step_gives_the_link_to_itself(page: Page, site: Site) -> None:
    opened(page, site, 1)
    page.get_by_role("link", name="Step 3").click()
    expect(page).to_have_url(f"{site.own}?task=river-gauge&attempt=1&round=1#step-3")
    expect(page.locator("[data-here]")).to_have_attribute("id", "step-3")
    page.reload()
    expect(page.locator("#step-3")).to_be_focused()


def test_a_round_inside_a_longer_transcript_is_gone_to(page: Page, site: Site) -> None:
    page.goto(f"{site.abroad}?task=river-gauge&attempt=1&round=2")
    page.get_by_role("button", name="Load from").click()
    expect(page.locator("#step-3")).to_be_focused()


def test_search_keeps_steps_with_hits_and_marks_them_at_the_latest_at_enter(page: Page, site: Site) -> None:
    opened(page, site, 1)
    hits, field = page.locator("[data-hits]"), page.get_by_role("searchbox", name="Search", exact=True)
    expect(page.locator("#step-4")).to_be_visible()
    field.evaluate(
        """field => {
          field.value = "ledger";
          field.dispatchEvent(new Event("input"));
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
        }"""
    )
    expect(hits).to_have_text("1 of 4 hits in 3 of 4 steps")
    field.fill("LEDGER")
    expect(hits).to_have_text("4 hits in 3 of 4 steps")
    expect_steps(page, "Step 1 user", "Step 2 agent", "Step 3 agent")
    expect(page.locator("mark")).to_have_text(["ledger"] * 4)
    expect(page).to_have_url(re.compile("&find=LEDGER$"))
    field.fill("line 77 of")
    expect(hits).to_have_text("1 hit in 1 of 4 steps")
    expect(page.locator("mark")).to_be_visible()
    field.fill("nothing of the sort")
    expect(hits).to_have_text("0 hits in 0 of 4 steps")
    field.fill("")
    expect(hits).to_have_text("")
    expect(page.locator("[data-steps] .sg-turn").filter(visible=True)).to_have_count(4)
    expect(page.locator("mark, details[open] .sg-words"), "marks are gone and folds as they were").to_have_count(0)


def test_hits_are_walked_with_the_keyboard(page: Page, site: Site) -> None:
    opened(page, site, 1, attempt=2)
    expect(page.locator("#step-220")).to_be_attached()
    page.get_by_role("searchbox", name="Search", exact=True).focus()
    page.keyboard.type("step-11")
    hits, current = page.locator("[data-hits]"), page.locator("mark[data-current]")
    expect(hits).to_have_text("11 hits in 11 of 220 steps")
    page.keyboard.press("Enter")
    expect(hits).to_have_text("1 of 11 hits in 11 of 220 steps")
    page.keyboard.press("Shift+Enter")
    expect(hits).to_have_text("11 of 11 hits in 11 of 220 steps")
    expect(page.locator("#step-119 mark[data-current]")).to_be_in_viewport()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(current).to_have_count(1)
    expect(page.locator("#step-11 mark[data-current]")).to_be_in_viewport()


def test_of_two_hits_that_are_gone_to_at_once_the_last_is_held(page: Page, site: Site) -> None:
    """The first must not be come back to when what is around it is laid out at last."""
    opened(page, site, 1, attempt=2, more="&find=step-11")
    expect(page.locator("[data-hits]")).to_have_text("11 hits in 11 of 220 steps")
    page.evaluate(
        """() => new Promise(resolve => {
          document.querySelector("[data-previous]").click();
          requestAnimationFrame(() => resolve(document.querySelector("[data-next]").click()));
        })"""
    )
    expect(page.locator("[data-hits]")).to_have_text("1 of 11 hits in 11 of 220 steps")
    expect_rest(page)
    expect(page.locator("#step-11 mark[data-current]")).to_be_in_viewport()


def expect_rest(page: Page) -> None:
    """Wait until a page has not been scrolled for half a second of frames."""
    page.evaluate(
        """async () => {
          for (let [still, before] = [0, scrollY]; still < 30; before = scrollY) {
            await new Promise(requestAnimationFrame);
            still = scrollY === before ? still + 1 : 0;
          }
        }"""
    )


def test_a_reader_who_scrolls_is_not_held(page: Page, site: Site) -> None:
    opened(page, site, 1, attempt=2)
    expect(page.locator("#step-220")).to_be_attached()
    page.evaluate("location.hash = '#step-120'")
    step = page.locator("#step-120")
    expect(step).to_have_attribute("data-here", "")
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -5000)
    expect(step).not_to_be_in_viewport()
    expect_rest(page)
    expect(step).not_to_be_in_viewport()


def test_a_transcript_goes_on_in_the_next_file_which_is_loaded_once_however_often_it_is_asked_for(
    page: Page, site: Site
) -> None:
    opened(page, site, 3)
    expect(page.locator("[data-more]")).to_contain_text("The transcript continues in rest.json.")
    page.get_by_role("button", name="Load the rest").evaluate("more => { more.click(); more.click(); }")
    last = page.locator("#part-2-step-2")
    expect(last).to_contain_text("Part 2, step 2")
    expect(last).to_contain_text("so far 2,000 in, 100 out, $0.0020")
    expect(page.locator("#part-2-step-1")).to_contain_text("copied from earlier, not counted")
    expect(page.locator("[data-more]")).to_be_hidden()
    expect(page.locator("[data-facts] h3")).to_have_text(["Part 2"])
    expect(page.locator("[data-told]")).to_have_text("")
    expect(page.locator(".sg-turn")).to_have_count(6)
    page.get_by_role("searchbox", name="Search", exact=True).fill("so it ends")
    expect(page.locator("[data-hits]")).to_have_text("1 hit in 1 of 6 steps")


LATE = """
  const listen = Worker.prototype.addEventListener;
  Worker.prototype.addEventListener = function (kind, act) {
    listen.call(this, kind, event => setTimeout(() => act(event), event.data && "done" in event.data ? 300 : 0));
  };
"""
"""The end of a file is told when its steps stand on the page already, as on a busy machine."""


def test_it_goes_on_where_the_end_of_a_file_is_told_late(fresh_page: Page, site: Site) -> None:
    fresh_page.add_init_script(LATE)
    opened(fresh_page, site, 3)
    fresh_page.get_by_role("button", name="Load the rest").click()
    expect(fresh_page.locator("#part-2-step-2")).to_contain_text("And so it ends.")


def test_a_link_to_a_step_of_a_later_file_opens_on_it(page: Page, site: Site) -> None:
    opened(page, site, 3, "#part-2-step-2")
    expect(page.locator("#part-2-step-2")).to_be_focused()


def test_transcripts_of_other_agents_are_shown_where_they_were_asked_and_nothing_fails(page: Page, site: Site) -> None:
    failed: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            failed.append(f"{message.text} {message.location}")

    page.on("console", note)
    page.on("pageerror", lambda error: failed.append(str(error)))
    opened(page, site, 3)
    page.locator("#step-1").get_by_role("button", name="Show what helper did (1 step)").click()
    expect(page.locator("#step-1")).to_contain_text("The helper looked.")
    page.locator("#step-2").get_by_role("button", name="Load beside.json").click()
    expect(page.locator("#step-2")).to_contain_text("The helper looked.")
    expect(page.locator("#step-3")).to_contain_text("is neither in this file nor in one named beside it")
    page.get_by_role("button", name="Load the rest").click()
    page.get_by_role("button", name="Expand all").click()
    expect(page.locator("#part-2-step-2")).to_be_visible()
    assert failed == []


def test_it_fits_its_window(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")  # else the menu is still on its way when the window has become wide
    for number in (1, 2, 4):
        opened(page, site, number)
        page.locator("#step-2, [data-actions] a").first.wait_for()
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_axe_finds_nothing_wrong(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")
    opened(page, site, 1, "&find=ledger#step-3")
    page.locator("mark").first.wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Expand all").click()
    assert wrong_at_any_size(page) == []
    opened(page, site, 4)
    page.get_by_role("button", name="Try again").wait_for()
    page.locator("[data-runs] > summary").click()
    assert wrong_at_any_size(page) == []


def test_without_scripts_the_page_leads_to_the_raw_files(plain_page: Page, site: Site) -> None:
    plain_page.goto(site.abroad)
    expect(plain_page.locator("[data-notice='scripts']")).to_contain_text("links to the raw file of every run")
    links = plain_page.locator("tr[data-task='river-gauge'] td a").evaluate_all("links => links.map(link => link.href)")
    assert links == [f"{site.host}river-gauge/{attempt}.json" for attempt in (1, 2)]
    expect(plain_page.locator("[data-transcript]")).to_be_hidden()
    plain_page.goto(site.own)
    expect(plain_page.locator("[data-notice='scripts'] code")).to_have_text("transcripts/{task}/{attempt}/{round}.json")
    expect(plain_page.locator("[data-runs] tbody")).to_be_visible()


def test_runs_and_rounds_lead_to_their_transcripts(page: Page, site: Site) -> None:
    page.goto(f"{site.root}demo/chain/{OWN}/river-gauge/")
    page.locator("#round-1").get_by_role("link", name="what the agent did").click()
    expect(page.locator("#step-4")).to_be_visible()
    page.get_by_role("link", name="Result").click()
    expect(page).to_have_url(f"{site.root}demo/chain/{OWN}/river-gauge/#round-1")
    page.goto(f"{site.root}demo/chain/tasks/river-gauge/1/")
    page.get_by_role("link", name="Trajectory of Alder-1").click()
    expect(page).to_have_url(f"{site.own}?task=river-gauge&round=1")
    page.goto(f"{site.root}demo/chain/{OWN}/")
    page.get_by_role("link", name="Trajectories").click()
    expect(page).to_have_url(site.own)


COUNTING = """
  window.batches = [];
  new MutationObserver(changes => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    const parts = added.filter(node => node instanceof Element);
    const steps = parts.flatMap(part => part.matches(".sg-turn") ? [part] : [...part.querySelectorAll(".sg-turn")]);
    if (steps.length) window.batches.push(new Set(steps).size);
  }).observe(document, { childList: true, subtree: true });
"""


def test_a_long_transcript_comes_a_few_steps_at_a_time(fresh_page: Page, site: Site) -> None:
    fresh_page.add_init_script(COUNTING)
    opened(fresh_page, site, 1, attempt=2)
    expect(fresh_page.locator(".sg-turn")).to_have_count(220)
    batches = fresh_page.evaluate("window.batches")
    assert sum(batches) == 220
    assert len(batches) > 1
