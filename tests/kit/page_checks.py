"""Checks of the pages of a random board: the statements in cells and in sentences.

Each check yields a sentence for each fault; a correct page yields none.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lxml import html

from kit import board_sentences as said
from kit.board_facts import BoardFacts, is_rounded
from kit.board_outputs import (
    CLOSE,
    PageText,
    ProgramBoard,
    ProgramResults,
    is_close,
    sentences_of,
    text_of,
)
from kit.rank_tests import better_pairs
from kit.results_files import TODAY, BoardFiles, BoardRow, Row, part_value, read_boards
from sitegen.publish.results.edition import public_edition

Faults = Iterator[str]
Pages = Mapping[str, PageText]


def page_faults(results: Path, program: ProgramResults) -> Faults:
    """Compare pages with the files; the pages are built from the edition that withholds private texts."""
    with (
        TemporaryDirectory() as home,
        public_edition(results, TODAY, Path(home) / "edition") as (edition, _),
    ):
        is_same = edition == results
        shown = program if is_same else ProgramResults.of(edition)
        for output, public in zip(program.boards, shown.boards, strict=True):
            if not is_same and scores_alone(output) != scores_alone(public):
                yield f"{output.track}: the public edition has other scores"
        private = [] if is_same else list(private_titles(results))
        pages = shown.pages
        for address, page in pages.items():
            yield from (f"/{address} shows the private title {title}" for title in private if title in page.content)
        unfounded = read_boards(edition, has_findings=False)
        for board, before, output in zip(read_boards(edition), unfounded, shown.boards, strict=True):
            facts = facts_of(board, output, pages)
            yield from (f"{board.track['id']}: {fault}" for fault in before_faults(facts, before, output, pages))
            for check in OF_PAGES:
                yield from (f"{board.track['id']}: {fault}" for fault in check(facts, output, pages))


def scores_alone(output: ProgramBoard) -> Any:  # noqa: ANN401 - a part of the document
    """Return the ranks and scores of a board's rows, without facts about agents."""
    return {name: (row["rank"], row["rank_interval"], row["metrics"]) for name, row in output.rows.items()}


def private_titles(results: Path) -> Iterator[str]:
    """Yield the private titles that no page may show, each as the text of an element (`>title<`)."""
    for path in results.glob("*/tasks/*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            task: Row = json.loads(line)
            if task.get("title") and (task.get("private") is True or str(task.get("private", "")) > str(TODAY)):
                yield f">{task['title']}<"


def facts_of(board: BoardFiles, output: ProgramBoard, pages: Pages) -> BoardFacts:
    """Collect the facts about a board, with the columns' titles on the board's page."""
    tested = {name for name, row in output.rows.items() if row["rank_interval"]}
    heads = pages[output.address].root.cssselect("th[data-column]")
    titles = {head.get("data-column"): text_of(head.cssselect("button")[0]) for head in heads}
    return BoardFacts(board, output.better_pairs, tested, titles)


def cell_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the cells of the board's table with the scores and ranks."""
    for name, element in pages[output.address].rows("table[data-board]"):
        row, document = facts.row(name), output.rows[name]
        rank = text_of(element.cssselect("td.sg-rank")[0])
        if rank != rank_text(document):
            yield f"{name} is shown with rank {rank}, expected {rank_text(document)}"
        for cell in element.cssselect("td[data-metric]:not([data-group])"):
            metric, value = cell.get("data-metric"), cell.get("data-value")
            expected = document["metrics"].get(metric, {}).get("value")
            if not is_close(None if value is None else float(value), expected):
                yield f"{name} is shown with {metric} {value}, expected {expected}"
            yield from interval_text_faults(facts, name, metric, cell, document["metrics"].get(metric, {}))
        yield from note_faults(row, element)


def interval_text_faults(facts: BoardFacts, name: str, metric: str, cell: html.HtmlElement, score: Row) -> Faults:
    """Compare the interval shown in a cell with the score's interval."""
    for shown in cell.cssselect(".sg-bounds"):
        ends = [float(said.number_of(end)) for end in text_of(shown).split(" to ")]
        half = 0.5 / 10 ** facts.files.decimals(metric) + CLOSE
        if score["low"] is None or abs(ends[0] - score["low"]) > half or abs(ends[1] - score["high"]) > half:
            expected = f"{score['low']} to {score['high']}"
            yield f"{name} is shown with {metric} {ends}, expected {expected}"


def rank_text(document: Row) -> str:
    """Return the rank of a row as displayed in its cell."""
    if document["rank_interval"]:
        low, high = document["rank_interval"]
        return str(low) if low == high else f"{low}\N{EN DASH}{high}"
    return "\N{EN DASH}" if document["rank"] is None else f"({document['rank']})"


def note_faults(row: BoardRow, element: html.HtmlElement) -> Faults:
    """Compare a row's notes on missing tasks and attempts with its records."""
    submission = row.submission
    if submission is None:
        return
    notes = [text_of(note) for note in element.cssselect("th .sg-about")]
    missing, tasks, made, asked = (
        len(submission.missing),
        len(submission.counted_tasks),
        submission.made,
        submission.asked,
    )
    plural = "" if tasks == 1 else "s"
    expected = [f"no results for {missing} of {tasks} task{plural}"] if missing else []
    expected += [f"{made} of {asked} attempts"] if made < asked else []
    for note in expected:
        if note not in notes:
            yield f"{row.id} does not say: {note}"
    for note in notes:
        if note not in expected and note.startswith("no results for"):
            yield f"{row.id} says: {note}"
        if note not in expected and note.endswith(" attempts"):
            yield f"{row.id} says: {note}"


def board_sentence_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the sentences on a board's pages with the files."""
    page = pages[output.address]
    if facts.ranked and not page.answer:
        yield "the board has ranked rows, and no headline"
    if page.answer:
        yield from said.order_faults(said.BOARD, facts, page.answer)
    yield from said.faults(said.SURE_OF_BOARD, facts, page.sure)
    notice = sentences_of(page.text("[data-notice=certainty]"))
    yield from said.faults(said.CERTAINTY_NOTICE, facts, notice)
    compare = pages[f"{output.address}compare/"]
    yield from said.faults(said.COMPARE, facts, [compare.answer] if compare.answer else [])
    yield from said.faults(said.SURE_OF_COMPARE, facts, compare.sure)
    certainty = pages.get(f"{output.address}certainty/")
    if certainty:
        yield from said.faults(said.CERTAINTY, facts, [certainty.answer])
        yield from said.faults((*said.WAS_WITHDRAWN, *said.DECIDING), facts, certainty.sure)


def row_sentence_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the sentences on the pages of rows with the files."""
    for row in facts.files.rows:
        page = pages[f"{output.address}{row.id}/"]
        yield from said.row_faults(facts, row, page.answer, page.sure)
        for cell in page.root.cssselect("td[data-metric]"):
            metric, value = cell.get("data-metric"), cell.get("data-value")
            expected = output.rows[row.id]["metrics"].get(metric, {}).get("value")
            if not is_close(None if value is None else float(value), expected):
                yield f"the page of {row.id} shows {metric} {value}, expected {expected}"


def work_sentence_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the sentences about tasks, rounds and runs with the records."""
    page = pages.get(f"{output.address}tasks/")
    if page is None:
        return
    works = said.works_by_task(facts)
    if len(works) > 1:
        yield from said.faults(said.TASKS, facts, [page.answer])
        yield from said.faults(said.SURE_OF_TASKS, facts, page.sure)
    for task in facts.files.tasks:
        address = f"{output.address}tasks/{task['id']}/"
        shown = pages.get(address)
        if shown:
            yield from said.task_faults(facts, task, shown.answer, shown.sure)
        for defined in task["rounds"] if len(task["rounds"]) > 1 else ():
            of_round = pages.get(f"{address}{defined['n']}/")
            if of_round:
                yield from said.round_faults(facts, task, defined["n"], of_round.answer, of_round.sure)
        for row in facts.files.rows:
            of_run = pages.get(f"{output.address}{row.id}/{task['id']}/")
            if of_run and row.submission:
                yield from said.run_faults(facts, row, task, of_run.answer)


def share_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the share of passes shown for each task with the records of published submissions."""
    page = pages.get(f"{output.address}tasks/")
    if page is None:
        return
    names = {said.task_name(task): task["id"] for task in facts.files.tasks}
    shares = []
    for element in page.root.cssselect("tr[data-task-share]"):
        share = float(element.get("data-task-share"))
        shares.append(share)
        task = names.get(text_of(element.cssselect("th a")[0]))
        works = facts.works(task) if task else {}
        total = text_of(element.cssselect("td.sg-total")[0])
        passed, size = (
            sum(work.number_passed for work in works.values()),
            sum(work.size for work in works.values()),
        )
        if total != f"{passed} / {size}":
            yield f"{task} shows {total} passed, expected {passed} / {size}"
        finished = text_of(element.cssselect("td.sg-finished")[0])
        if finished != str(len(said.finishers(works))):
            expected = len(said.finishers(works))
            yield f"{task} is shown as finished by {finished}, expected {expected}"
    if shares != sorted(shares, reverse=True):
        yield f"tasks do not stand in the order of their shares: {shares}"


def agent_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the table of agents across boards with the scores."""
    board = f"{output.board.benchmark.id}/{output.track}"
    values: dict[str, list[float]] = {}
    for row in facts.files.rows:
        value = row.scores.get(facts.files.headline)
        if value is not None and row.state == "published":
            values.setdefault(row.name, []).append(float(value))
    page = pages.get("agents/")
    for element in page.root.cssselect("tr[data-agent]") if page else ():
        for cell in element.cssselect(f"td[data-board='{board}'][data-value]"):
            text = cell.get("data-value")
            name = text_of(element.cssselect("th")[0]).split(" \N{MIDDLE DOT}")[0]
            expected_values = [
                value for agent, agent_values in values.items() if name.startswith(agent) for value in agent_values
            ]
            if text and not any(is_close(float(text), value) for value in expected_values):
                yield f"/agents/ shows {name} with {text}, expected one of {expected_values}"


def split_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the scores on parts of the task set with the second computation."""
    for name, element in pages[output.address].rows("table[data-board]"):
        submission = facts.row(name).submission
        for cell in element.cssselect("td[data-group]") if submission else ():
            axis, value, shown = (cell.get(f"data-{key}") for key in ("axis", "group", "value"))
            assert submission
            group_tasks = [task for task in submission.tasks if task["labels"].get(axis) == value]
            expected = part_value(facts.files, submission, group_tasks)
            shown_value = None if shown is None else float(shown)
            if not is_close(shown_value, None if expected is None else float(expected)):
                yield f"{name} is shown with {shown_value} on {axis} {value}, expected {expected}"


def before_faults(facts: BoardFacts, before: BoardFiles, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the figures shown for the board without findings with files that are read without findings."""
    better = better_pairs(before)
    rows = {row.id: row for row in before.rows}
    metric = before.headline
    for name, element in pages[output.address].rows("table[data-board]"):
        for note in element.cssselect(f"td[data-metric={metric}] .sg-unfounded"):
            text, value = text_of(note).split(" without")[0], rows[name].scores.get(metric)
            is_gap = value is None and text == "\N{EN DASH}"
            if not is_gap and not (value is not None and is_rounded(text, value, before.decimals(metric))):
                yield f"{name} is shown with {text} without findings, expected {value}"
    for row in facts.files.rows:
        page = pages[f"{output.address}{row.id}/"]
        match = re.search(r"without (?:it|them) the rank would be (\S+)", page.text("[data-notice=findings] summary"))
        if not match or row.id not in before.ranks:
            continue
        if before.has_results and not before.has_intervals:
            expected = f"({before.ranks[row.id]})"
        elif better is not None and before.has_results:
            above, below = (sum(pair[index] == row.id for pair in better) for index in (1, 0))
            low, high = 1 + above, len(before.ranked) - below
            expected = str(low) if low == high else f"{low}\N{EN DASH}{high}"
        else:
            continue
        if match[1] != expected:
            yield f"{row.id} would rank {match[1]} without findings, expected {expected}"


def fact_line_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the facts above a board's table (agents, tasks, attempts) with the files."""
    line = pages[output.address].texts(".sg-line-facts li")
    files, agents = facts.files, len(facts.files.published)
    expected = [f"{agents} agent{'' if agents == 1 else 's'}"]
    if files.tasks:
        tasks, counting = len(files.tasks), len(files.counting_tasks)
        of = f"{tasks} task{'' if tasks == 1 else 's'}"
        expected.append(of if counting == tasks else f"{counting} of {of}")
    attempts = files.track.get("attempts", 1)
    expected += [f"{attempts} attempts per task"] if attempts > 1 else []
    yield from (f"the board does not say {text}: {line}" for text in expected if text not in line)


def certainty_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the page about a board's certainty with the files."""
    page = pages.get(f"{output.address}certainty/")
    is_told = len(facts.ranked) > 1 and len(facts.files.counted_tasks) > 1 and facts.files.has_results
    if (page is not None) != is_told:
        yield f"there is {'a' if page else 'no'} page about how sure the board is"
    if page is None:
        return
    grounds = sentences_of(page.text(".sg-lead"))
    yield from said.faults(said.CERTAINTY_NOTICE, facts, grounds)
    smallest = page.text("[data-smallest]")
    if bool(smallest) != facts.files.has_intervals:
        yield f"the page about how sure the board is says: {smallest or 'nothing of gaps'}"
    yield from said.faults(said.SMALLEST, facts, sentences_of(smallest))
    for section in page.root.cssselect("section[id]"):
        patterns = said.SECTIONS.get(section.get("id"), ())
        for paragraph in section.xpath("./p"):
            yield from said.faults(patterns, facts, sentences_of(text_of(paragraph)))


WITHDRAWN = r"(?:; also on \d+ withdrawn boards?)?"


def agent_sentence_faults(facts: BoardFacts, output: ProgramBoard, pages: Pages) -> Faults:
    """Compare the sentences on agents' pages that claim a lead on this board with the files."""
    leader, title = facts.leader, f"{output.board.benchmark.title} ({output.board.track.title})"
    is_live = facts.files.track.get("status") != "withdrawn"
    for address, page in pages.items():
        if not re.fullmatch("agents/[^/]+/", address) or not page.answer:
            continue
        match = re.fullmatch(rf"(.+) appears on \d+ boards?(?: and leads (.+?))?{WITHDRAWN}", page.answer)
        if match is None:
            is_only = re.fullmatch(r".+ appears only on \d+ withdrawn boards?", page.answer)
            unranked = re.fullmatch(r"(.+) is not ranked on any board: (?:baseline|after the deadline).*", page.answer)
            if unranked:
                competing = [row.name for row in facts.files.published]
                yield from [f"false: {page.answer}"] if unranked[1] in competing else []
                continue
            yield from [] if is_only else [f"unknown: {page.answer}"]
            continue
        leads = re.search(rf"{re.escape(title)}(?:,|$)", match[2] or "") is not None
        is_counted = (match[2] or "").isdigit()
        is_leader = is_live and leader is not None and leader.name == match[1]
        if not is_counted and leads != is_leader:
            yield f"false: {page.answer}"


OF_PAGES: Sequence[Callable[[BoardFacts, ProgramBoard, Pages], Faults]] = (
    cell_faults,
    board_sentence_faults,
    row_sentence_faults,
    work_sentence_faults,
    share_faults,
    agent_faults,
    split_faults,
    fact_line_faults,
    certainty_faults,
    agent_sentence_faults,
)
