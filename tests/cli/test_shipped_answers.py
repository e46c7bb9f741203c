"""What the pages of the shipped site say first, held against the files that the site offers to programs.

Every sentence is taken apart and made again from `api/v1/` and `data/`, as somebody would who has nothing but the site.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from kit.built_sites import own_site
from kit.command import ROOT
from lxml import html

TITLES = {"dataset_score": "Dataset Score", "mt_at_k": "MT@4", "resolved": "Resolved", "strict": "Strict"}
BOARD_TITLES = {
    "evocode-bench/official": "EvoCode-Bench, Official multi-step",
    "terminal-bench-core/v0-1-1": "Terminal-Bench Core, terminal-bench-core 0.1.1",
}
HEADLINES = {"evocode-bench": "official", "terminal-bench-core": "v0-1-1"}
"""The track that a benchmark's own page shows, where that is not `paper`."""
PASSED, GONE = "pk", "xm"
"""Letters of rounds that passed, and of those that do not count."""
LONGEST = 140
WITHDRAWN = {"evocode-bench/official-v1"}
"""Boards whose track is withdrawn: sentences about their order are in the past."""
LEGACY = {"evocode-bench/paper"}
"""Boards whose track is legacy: they are counted apart from the others."""


@dataclass(frozen=True)
class Board:
    """A board as its files tell it."""

    site: Path
    name: str

    @cached_property
    def compared(self) -> Any:  # noqa: ANN401 - JSON
        return json.loads((self.site / "api/v1" / self.name / "compare.json").read_text(encoding="utf-8"))

    @cached_property
    def rows(self) -> Sequence[Any]:
        """The ranked rows, best first."""
        file = json.loads((self.site / "api/v1" / f"{self.name}.json").read_text(encoding="utf-8"))
        return sorted((row for row in file["submissions"] if row["rank"]), key=lambda row: row["rank"])

    @property
    def metric(self) -> str:
        return str(self.compared["metrics"][0]["id"])

    @cached_property
    def names(self) -> Mapping[str, str]:
        often = Counter(row["agent"]["name"] for row in self.rows)
        return {row["id"]: named(row["agent"]["name"], row["agent"]["scaffold"], often) for row in self.rows}

    def score(self, row: Any) -> str:  # noqa: ANN401 - JSON
        return f"{row['metrics'][self.metric]['value']:.{self.compared['metrics'][0]['decimals']}f}"

    @cached_property
    def work(self) -> Mapping[str, Mapping[str, str]]:
        """Letters of the rounds that count, by task and row."""
        letters_by_task: dict[str, dict[str, str]] = {}
        for row in self.compared["rows"]:
            start = 0
            for task in self.compared["tasks"]:
                letters = row["rounds"][0][start : start + len(task["rounds"])]
                start += len(task["rounds"])
                if letters.strip(GONE):
                    letters_by_task.setdefault(task["id"], {})[row["id"]] = letters
        return letters_by_task

    @cached_property
    def attempts(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Letters of the rounds of every attempt that counts, by task and row."""
        letters_by_task: dict[str, dict[str, list[str]]] = {task: {} for task in self.work}
        for row in self.rows:
            letters: dict[tuple[str, int], str] = {}
            for record in raw_rounds(self, row["id"]):
                passed = record["state"] == "scored" and record["reward"] >= 0.999
                key = record["task"], record["attempt"]
                letters[key] = letters.get(key, "") + ("p" if passed else "f")
            for (task, _), attempt_letters in sorted(letters.items()):
                if task in letters_by_task:
                    letters_by_task[task].setdefault(row["id"], []).append(attempt_letters)
        return letters_by_task

    def finished(self, row: str, task: str) -> int:
        """How many attempts of a row passed every round of a task."""
        return sum(not letters.strip(PASSED) for letters in self.attempts[task][row])

    @property
    def titles(self) -> Mapping[str, str]:
        return {task["id"]: task["title"] for task in self.compared["tasks"]}


def named(name: str, scaffold: str | None, often: Mapping[str, int]) -> str:
    return f"{name} ({scaffold})" if often[name] > 1 and scaffold else name


def in_the_past(sentence: str) -> str:
    """Say of a withdrawn board what was said of it before."""
    past_forms = {"leads": "led", "follows": "followed", "has": "had", "could be": "could have been", "ranks": "ranked"}
    for present, past in past_forms.items():
        sentence = re.sub(rf" {present} ", f" {past} ", sentence)
    return f"Withdrawn board: {sentence}"


def order(rows: Sequence[tuple[str, str, int, Sequence[int] | None]], title: str) -> str:
    """Say who is first: of names, scores, ranks and possible ranks."""
    (first, score, _, possible), (second, second_score, _, _) = rows[:2]
    could = sum(not interval or interval[0] == 1 for _, _, _, interval in rows)
    assert [rank for _, _, rank, _ in rows].count(1) == 1
    noun = title if title == "Dataset Score" else f"{title} score"
    if possible == [1, 1]:
        return f"{first} leads with {score}; {second} follows with {second_score}"
    if any(rank_interval for _, _, _, rank_interval in rows):
        return f"{could} agents could be first; {first} has the highest {noun}, {score}"
    return f"{first} has the highest {noun}, {score}; {second} follows with {second_score}"


def board_says(board: Board) -> str:
    rows = [(board.names[row["id"]], board.score(row), row["rank"], row["rank_interval"]) for row in board.rows]
    sentence = order(rows, TITLES[board.metric])
    return in_the_past(sentence) if board.name in WITHDRAWN else sentence


def row_says(board: Board, name: str) -> str:
    row = next((row for row in board.rows if row["id"] == name), None)
    assert row, f"{name} is no row: a sentence for this kind of page belongs into `of_board`"
    score_note = f"({TITLES[board.metric]} {board.score(row)})"
    if row["rank_interval"] is None:
        sentence = f"{board.names[name]} ranks {ordinal(row['rank'])} of {len(board.rows)} by score alone {score_note}"
    else:
        low, high = row["rank_interval"]
        rank_range = f"{low}–{high}" if low < high else ordinal(low)
        sentence = f"{board.names[name]} ranks {rank_range} of {len(board.rows)} {score_note}"
    return in_the_past(sentence) if board.name in WITHDRAWN else sentence


def ordinal(rank: int) -> str:
    """Write a rank below 21 as an ordinal."""
    assert rank <= 20
    ending = {1: "st", 2: "nd", 3: "rd"}.get(rank, "th")
    return f"{rank}{ending}"


def agents_of(number: int, total: int) -> str:
    """A number of many agents, as the subject of a sentence."""
    if total == 2 and number != 1:
        return "Both agents" if number else "Neither agent"
    if number == 0:
        return f"None of the {total} agents"
    return f"All {total} agents" if number == total else f"{number} of {total} agents"


def compare_says(board: Board) -> str:
    letters = Counter(board.compared["pairs"]["on_board"])
    apart = sum(count for letter, count in letters.items() if letter in "AB")
    if all(row["rank_interval"] is None for row in board.rows):
        return f"Differences between the {len(board.rows)} agents are not tested"
    pairs = len(board.rows) * (len(board.rows) - 1) // 2
    if not apart:
        return f"None of the {pairs:,} pairs of agents differ clearly"
    return f"{apart} of {pairs:,} pairs of agents {'differs' if apart == 1 else 'differ'} clearly"


def ranked(board: Board, left_out: str = "") -> Mapping[str, int]:
    """Ranks by the mean share of rounds passed, over attempts and then tasks, without one task."""
    shares = [
        {name: mean(letter in PASSED for letter in "".join(letters)) for name, letters in by_row.items()}
        for task, by_row in board.attempts.items()
        if task != left_out
    ]
    scores = {row["id"]: round(sum(share[row["id"]] for share in shares), 9) for row in board.rows}
    return {name: 1 + sum(other_score > score for other_score in scores.values()) for name, score in scores.items()}


def certainty_says(board: Board) -> str:
    """Count the neighbours that differ clearly; letters stand for pairs, the first row's with all others first."""
    pairs = zip(combinations(range(len(board.rows)), 2), board.compared["pairs"]["on_board"], strict=True)
    near = [letter for (index, other_index), letter in pairs if other_index == index + 1]
    apart = sum(letter in "AB" for letter in near)
    if not apart:
        return "All neighbouring agents are too close to call"
    return f"{apart} of {len(near)} pairs of neighbouring agents {'differs' if apart == 1 else 'differ'} clearly"


def order_hangs_on(board: Board, sentence: str) -> str:
    full_ranks = ranked(board)
    without = {task: ranked(board, task) for task in board.work}
    moved = {task: sum(ranks[name] != full_ranks[name] for name in full_ranks) for task, ranks in without.items()}
    decisive_titles = [board.titles[task] for task in moved if moved[task] == max(moved.values())]
    title = next(task for task in decisive_titles if task in sentence)
    withdrawn = "The board was withdrawn. " if board.name in WITHDRAWN else ""
    agents = f"{max(moved.values())} of the {len(full_ranks)} agents"
    return f"{withdrawn}Dropping the task {title} would change the score-based rank of {agents}."


def tasks_say(board: Board) -> str:
    finishers = [[name for name in by_row if board.finished(name, task)] for task, by_row in board.work.items()]
    alone = {names[0] for names in finishers if len(names) == 1}
    only = (
        f"; {board.names[alone.pop()]} alone finished {sum(len(names) == 1 for names in finishers)}"
        if len(alone) == 1
        else ""
    )
    return f"{finishers.count([])} of the {len(finishers)} tasks were not finished by any agent{only}"


def task_says(board: Board, task: str) -> str:
    title, by_row = board.titles[task], board.work.get(task)
    if by_row is None:
        return f"{title} does not count: a finding excludes it"
    finishers = [name for name in by_row if board.finished(name, task)]
    never = sum(not {*column} & {*PASSED} for column in zip(*by_row.values(), strict=True))
    rounds = len(next(iter(by_row.values())))
    count = "any" if never == rounds else never
    addition = f"; nobody passed {count} of the {rounds} rounds" if never and rounds > 1 else ""
    if len(finishers) == 1:
        return f"Only {board.names[finishers[0]]} finished {title}{addition}"
    return f"{agents_of(len(finishers), len(by_row))} finished {title}{addition}"


def round_says(board: Board, task: str, number: int) -> str:
    title, by_row = board.titles[task], board.work.get(task)
    if by_row is None:
        return f"Round {number} of {title} does not count: a finding excludes it"
    passes = {name: board.finished(name, task) for name in by_row}
    tries = sum(len(letters) for letters in board.attempts[task].values())
    if tries > len(by_row):  # tasks of one round, tried several times
        addition = f", in {sum(passes.values())} of {tries} attempts" if any(passes.values()) else ""
        return f"{agents_of(sum(map(bool, passes.values())), len(by_row))} passed {title}{addition}"
    passed = sum(letters[number - 1] in PASSED for letters in by_row.values())
    return f"{agents_of(passed, len(by_row))} passed round {number} of {title}"


def run_says(board: Board, row: str, task: str) -> str:
    if task not in board.work:
        return task_says(board, task)
    title, name, letters = board.titles[task], board.names[row], board.work[task][row]
    tries = len(board.attempts[task][row])
    if tries > 1:
        finished = board.finished(row, task)
        if not finished:
            return f"{name} did not finish {title} in any of {tries} attempts"
        if finished == tries:
            return f"{name} finished {title} in all {tries} attempts"
        return f"{name} finished {title} in {finished} of {tries} attempts"
    passed, rounds = sum(letter in PASSED for letter in letters), len(letters)
    begun = len(letters) - len(letters.lstrip(PASSED))
    if passed == rounds:
        return f"{name} passed all {rounds} rounds of {title}"
    if not passed or passed > begun:
        return f"{name} passed {passed or 'none'} of the {rounds} rounds of {title}"
    numbers = "round 1" if begun == 1 else f"rounds 1 {'and' if begun == 2 else 'to'} {begun}"
    ending = f"then none of the next {rounds - begun}" if rounds - begun > 1 else "but not the last"
    return f"{name} passed {numbers} of {title}, {ending}"


def part_says(board: Board, row: str, task: str, number: int) -> str:
    (record,) = (line for line in raw_rounds(board, row) if (line["task"], line["round"]) == (task, number))
    round_phrase = f"in round {number} of {board.titles[task]}"
    return f"{board.names[row]} passed {record['passed']} of {record['total']} cases {round_phrase}"


def test_the_home_page_shows_the_scores_and_numbers_of_the_files(
    shipped_site: Path, pages: Mapping[str, html.HtmlElement]
) -> None:
    lead = Board(shipped_site, "evocode-bench/official")
    (table,) = pages[""].cssselect("table[data-ranking='evocode-bench/official']")
    shown = {row.get("data-submission"): row.cssselect("[data-value]")[0] for row in table.cssselect("tbody tr")}
    assert [*shown] == [row["id"] for row in lead.rows]
    for row in lead.rows:
        assert shown[row["id"]].get("data-value") == repr(row["metrics"][lead.metric]["value"])
        assert shown[row["id"]].text_content().strip() == lead.score(row)
    records = [record for row in lead.rows for record in raw_rounds(lead, row["id"]) if record["task"] in lead.work]
    lead_scores = [row["metrics"][lead.metric] for row in lead.rows]
    differ = sum(round(score["value"], 1) != score["claimed"] for score in lead_scores)
    sure = sum(len({*row["rank_interval"]}) == 1 for row in lead.rows)
    numbers = [element.text_content() for element in pages[""].cssselect(".sg-numbers dd")]
    assert numbers == [
        f"{len(records):,}",
        f"{sum(record['total'] for record in records):,}",
        f"{len(lead_scores)}",
        f"{sure} of {len(lead_scores)}",
    ]
    published = pages[""].cssselect(".sg-numbers dt")[2].text_content()
    assert differ == len(lead_scores)
    assert "values cover 26 tasks and the recomputed ones 25, so the two are not comparable" in published


def raw_rounds(board: Board, row: str) -> Sequence[Any]:
    file = board.site / "data" / board.name.partition("/")[0] / "submissions" / row / "rounds.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def snapshot_says(site: Path, day: str, name: str) -> str:
    file = json.loads((site / f"api/v1/releases/{day}.json").read_text(encoding="utf-8"))
    (board,) = (board for board in file["boards"] if f"{board['benchmark']}/{board['track']}" == name)
    rows = sorted((row for row in board["rows"] if row["rank"]), key=lambda row: row["rank"])
    often, metric = Counter(row["name"] for row in rows), board["headline"]
    ranking = [
        (
            named(row["name"], row["scaffold"], often),
            f"{row['metrics'][metric]['value']:.1f}",
            row["rank"],
            row["rank_interval"],
        )
        for row in rows
    ]
    sentence = order(ranking, TITLES[metric])
    return in_the_past(sentence) if board["status"] == "withdrawn" else sentence


def parenthesized(title: str) -> str:
    """Return the title of a benchmark and its board as sentences have it: "EvoCode-Bench (Paper)"."""
    benchmark, _, board = title.partition(", ")
    return f"{benchmark} ({board})"


def release_says(site: Path, day: str, titles: Mapping[str, str]) -> str:
    file = json.loads((site / f"api/v1/releases/{day}.json").read_text(encoding="utf-8"))
    event_counts: Counter[str] = Counter()
    causes = {"entered": {"submission", "table"}, "rescored": {"recomputed"}}
    for event in file["events"]:
        event_counts[event["what"]] += 1
        assert event["causes"][0]["kind"] in causes[event["what"]]
    entered = [event["agent"] for event in file["events"] if event["what"] == "entered"]
    nouns = "agents" if len({(event["benchmark"], event["track"]) for event in file["events"]}) == 1 else "entries"
    sentence = f"{len(entered)} {nouns} are new" if len(entered) > 1 else f"{entered[0]} is new"
    sentence += (
        f" and {event_counts['rescored']} agents now have scores recomputed from raw results"
        if event_counts["rescored"]
        else ""
    )
    boards = {f"{event['benchmark']}/{event['track']}" for event in file["events"]}
    board_phrase = parenthesized(titles[boards.pop()]) if len(boards) == 1 else f"{len(boards)} boards"
    return f"{sentence} on {board_phrase}"


def agent_says(boards: Mapping[str, Board], agent: str, titles: Mapping[str, str]) -> str:
    """Count the boards that have a row of an agent, and name those that it leads."""
    rows_by_board = {
        board: rows
        for board in boards.values()
        if board.name not in WITHDRAWN and (rows := [row for row in board.rows if spelt(row) == agent])
    }
    led = [
        parenthesized(titles[board.name]) for board, rows in rows_by_board.items() if rows[0]["rank_interval"] == [1, 1]
    ]
    name, boards_told = (
        next(iter(rows_by_board.values()))[0]["agent"]["name"],
        "1 board" if len(rows_by_board) == 1 else f"{len(rows_by_board)} boards",
    )
    withdrawn_count = sum(
        board.name in WITHDRAWN and any(spelt(row) == agent for row in board.rows) for board in boards.values()
    )
    also = (
        f"; also on {withdrawn_count} withdrawn board{'' if withdrawn_count == 1 else 's'}" if withdrawn_count else ""
    )
    return f"{name} appears on {boards_told}{' and leads ' + ' and '.join(led) if led else ''}{also}"


def spelt(row: Any) -> str:  # noqa: ANN401 - JSON
    """Spell the agent of a row as addresses do."""
    return re.sub(r"[^a-z0-9]+", "-", row["agent"]["name"].lower())


def agents_say(boards: Mapping[str, Board]) -> str:
    """Count the agents of boards that stand, these boards but for empty ones, and the agents on several of them."""
    agent_sets = [
        {spelt(row) for row in board.rows} for board in boards.values() if board.rows and board.name not in WITHDRAWN
    ]
    often = Counter(agent for agents in agent_sets for agent in agents)
    several = sum(count > 1 for count in often.values())
    current = len(agent_sets) - len(LEGACY)
    boards_told = f"{current} boards and {len(LEGACY)} legacy board"
    assert len(LEGACY) == 1
    assert several > 1
    return f"{len(often)} agents on {boards_told}; {several} of them appear on more than one"


def says(site: Path, address: str, boards: Mapping[str, Board], sentence: str) -> str:
    """Make the sentence of a page again."""
    titles = BOARD_TITLES
    match address.split("/"):
        case [""]:
            return board_says(boards["evocode-bench/official"])
        case ["changelog"]:
            return release_says(site, max(path.stem for path in (site / "api/v1/releases").iterdir()), titles)
        case ["changelog", day]:
            return release_says(site, day, titles)
        case ["changelog", day, benchmark, track]:
            return snapshot_says(site, day, f"{benchmark}/{track}")
        case ["agents", *agent]:
            return agent_says(boards, agent[0], titles) if agent else agents_say(boards)
        case [benchmark]:
            return board_says(boards[f"{benchmark}/{HEADLINES.get(benchmark, 'paper')}"])
        case [benchmark, "integrity"]:
            return integrity_says(boards[f"{benchmark}/official-v1"], boards[f"{benchmark}/official"])
        case [benchmark, track, *rest]:
            return board_part_says(boards[f"{benchmark}/{track}"], rest, sentence)
    raise AssertionError(address)


def reruns_of(old: Board, new: Board) -> list[tuple[str, bool, bool]]:
    """The task of each round with a verdict on two tracks of the same tasks, and whether it passed on each."""
    letter_meanings = old.compared["round_letters"].items()
    verdicts = {letter for letter, meaning in letter_meanings if meaning in {"passed", "failed", "no_cases"}}
    round_tasks = [task["id"] for task in old.compared["tasks"] for _ in task["rounds"]]
    later = {row["name"]: row["rounds"][0] for row in new.compared["rows"]}
    return [
        (task, old_letter in PASSED, new_letter in PASSED)
        for row in old.compared["rows"]
        for task, old_letter, new_letter in zip(round_tasks, row["rounds"][0], later.get(row["name"], ""), strict=False)
        if {old_letter, new_letter} <= verdicts
    ]


def integrity_says(old: Board, new: Board) -> str:
    """Count the rounds whose verdicts two tracks of the same tasks tell otherwise, by agent."""
    pairs = reruns_of(old, new)
    changed, tasks = (
        sum(passed_before != passed_after for _, passed_before, passed_after in pairs),
        len({task for task, *_ in pairs}),
    )
    return f"{changed} of {len(pairs):,} rounds in {tasks} tasks changed verdict when rerun"


def failed_over_passed(board: Board) -> float:
    """Mean over tasks of the tokens that failed tries wrote, over those of passed ones."""
    spent: dict[str, tuple[list[float], list[float]]] = {}
    for row in board.rows:
        for record in raw_rounds(board, row["id"]):
            if record["state"] == "scored" and "output_tokens" in record:
                spent.setdefault(record["task"], ([], []))[record["reward"] == 1].append(record["output_tokens"])
    return mean(mean(failed) / mean(passed) for failed, passed in spent.values() if failed and passed)


def analysis_says(board: Board, sentence: str) -> str:
    """Say again what the first analysis of a board does; which one that is follows from what it says."""
    lengths = {task["id"]: len(task["rounds"]) for task in board.compared["tasks"]}
    if sentence.startswith("Further results"):
        benchmark, track = board.name.split("/")
        texts = [
            path.read_text(encoding="utf-8") for path in (ROOT / "results" / benchmark / "reported").glob("*.toml")
        ]
        shown = sum(text.count("[[exhibits]]") for text in texts if f'track = "{track}"' in text)
        return f"Further results from the source, in {shown} tables"
    if sentence.startswith("Task length has no clear effect"):
        groups = []
        for low, high in re.findall(r"(\d+) to (\d+) rounds", sentence):
            tasks = [task for task in board.work if int(low) <= lengths[task] <= int(high)]
            shares = [
                100 * mean(letter in PASSED for letter in work) for task in tasks for work in board.work[task].values()
            ]
            groups.append((f"{mean(shares):.1f}", len(tasks), f"{low} to {high} rounds"))
        (short, short_count, ends), (long, long_count, long_range) = groups
        figures = f"{short} on the {short_count} tasks with {ends} and {long} on the {long_count} with {long_range}"
        return f"Task length has no clear effect: mean {TITLES[board.metric]} is {figures}"
    if sentence.startswith("With OpenHands, "):
        values = {(row["agent"]["name"], row["agent"]["scaffold"]): float(board.score(row)) for row in board.rows}
        pairs = [(values[name, "OpenHands"], values[name, "Terminus 2"]) for name in {name for name, _ in values}
                 if {(name, "OpenHands"), (name, "Terminus 2")} <= values.keys()]  # fmt: skip
        higher_count, lower_count = (
            sum(openhands_score > terminus_score for openhands_score, terminus_score in pairs),
            sum(first_score < second_score for first_score, second_score in pairs),
        )
        figures = f"{higher_count} of {len(pairs)} agents, and lower for {lower_count}"
        return f"With OpenHands, {TITLES[board.metric]} is higher than with Terminus 2 for {figures}"
    if sentence.startswith("Between “"):
        reruns = reruns_of(board, Board(board.site, "evocode-bench/official"))
        gained = sum(passed_after and not passed_before for _, passed_before, passed_after in reruns)
        lost = sum(old_verdict and not new_verdict for _, old_verdict, new_verdict in reruns)
        figures = f"{gained} from fail to pass and {lost} from pass to fail"
        tracks = "“Official multi-step, v1” and “Official multi-step”"
        return f"Between {tracks}, {gained + lost} of {len(reruns):,} verdicts changed: {figures}"
    if sentence.startswith("Failed attempts "):
        ratio, interval = failed_over_passed(board), sentence.partition(" interval of ")[2]
        low, high = map(float, interval.split(" to "))
        assert low < ratio < high
        figures = f"with an approximate interval of {interval}"
        return f"Failed attempts at a task had {ratio:.2f} times the output tokens of passed attempts, {figures}"
    rounds = sorted(lengths.values())
    figures = f"{rounds[0]} to {rounds[-1]} in each task, with a median of {median(rounds):g}"
    return f"{len(rounds)} tasks with {sum(rounds)} checkpoints: {figures}"


def board_part_says(board: Board, segments: Sequence[str], sentence: str) -> str:
    of_board = {"": board_says, "compare": compare_says, "tasks": tasks_say, "certainty": certainty_says}
    if "/".join(segments) in of_board:
        return of_board["/".join(segments)](board)
    match segments:
        case ["analysis"]:
            return analysis_says(board, sentence)
        case ["tasks", task]:
            return task_says(board, task)
        case ["tasks", task, number, *_]:
            return round_says(board, task, int(number.partition("-part-")[0]))
        case [row]:
            return row_says(board, row)
        case [row, task]:
            return run_says(board, row, task)
        case [row, task, part, *_]:
            return part_says(board, row, task, int(part.removeprefix("round-")))
    raise AssertionError(segments)


@pytest.fixture(scope="module")
def shipped_site() -> Path:
    return own_site()


@pytest.fixture(scope="module")
def pages(shipped_site: Path) -> Mapping[str, html.HtmlElement]:
    """Every page that somebody may read, by its address."""
    paths_by_address = {
        path.parent.relative_to(shipped_site).as_posix(): path for path in shipped_site.rglob("index.html")
    }
    return {address.removeprefix("."): html.fromstring(path.read_bytes()) for address, path in paths_by_address.items()}


@pytest.fixture(scope="module")
def answers(pages: Mapping[str, html.HtmlElement]) -> Sequence[tuple[str, str]]:
    """What each page says first, with its address."""
    return [
        (address, " ".join(str(element.text_content()).split()))
        for address, page in pages.items()
        for element in page.cssselect("[data-answer]")
    ]


def test_every_sentence_is_that_of_the_files(shipped_site: Path, answers: Sequence[tuple[str, str]]) -> None:
    names = sorted(
        path.relative_to(shipped_site / "api/v1").parent for path in (shipped_site / "api/v1").rglob("compare.json")
    )
    boards = {name.as_posix(): Board(shipped_site, name.as_posix()) for name in names}
    assert len(answers) > 1_000
    for address, sentence in answers:
        assert sentence == says(shipped_site, address, boards, sentence), address


def test_what_an_order_hangs_on_follows_from_the_files(
    shipped_site: Path, pages: Mapping[str, html.HtmlElement]
) -> None:
    certainty_pages = [address for address in pages if address.endswith("/certainty")]
    assert certainty_pages
    for address in certainty_pages:
        (sure,) = pages[address].cssselect(".sg-sure")
        sentence = " ".join(str(sure.text_content()).split())
        assert sentence == order_hangs_on(Board(shipped_site, address.removesuffix("/certainty")), sentence), address


def test_no_sentence_is_long_and_each_is_the_only_one_and_in_its_page_s_heading(
    pages: Mapping[str, html.HtmlElement], answers: Sequence[tuple[str, str]]
) -> None:
    assert max(len(sentence) for _, sentence in answers) <= LONGEST
    assert len({address for address, _ in answers}) == len(answers)
    assert all(pages[address].cssselect("main h1 [data-answer]") for address, _ in answers)


def test_every_page_that_is_made_of_results_has_one(
    pages: Mapping[str, html.HtmlElement], answers: Sequence[tuple[str, str]]
) -> None:
    """But for a board without a row, former addresses, and what people wrote."""
    silent = {*pages} - {address for address, _ in answers}
    benchmarks = r"(evocode-bench|roadmapbench|slop-code-bench|terminal-bench-core|changelog)"
    made = {address for address in silent if re.match(benchmarks, address)}
    moved = {address for address in made if "moved" in str(pages[address].findtext(".//h1"))}
    without_rows = {"slop-code-bench/v1", "slop-code-bench/v1/compare", "changelog/2026-11-27/slop-code-bench/v1"}
    assert made - moved == without_rows


def test_no_sentence_boasts(answers: Sequence[tuple[str, str]]) -> None:
    text = " ".join(sentence for _, sentence in answers).replace("chess-best-move", "")  # the name of a task
    assert not re.search(r"\b(best|beats?|wins?|winner|state of the art)\b", text, re.IGNORECASE)


def test_a_page_is_described_by_what_it_says_first(
    pages: Mapping[str, html.HtmlElement], answers: Sequence[tuple[str, str]]
) -> None:
    for address, sentence in answers:
        if not address.startswith("changelog") and address:
            (described,) = pages[address].cssselect("meta[name=description]")
            assert sentence in str(described.get("content")), address


def test_the_guide_for_language_models_and_the_feeds_say_it_too(
    shipped_site: Path, answers: Sequence[tuple[str, str]]
) -> None:
    answer_by_address, guide = dict(answers), (shipped_site / "llms.txt").read_text(encoding="utf-8")
    for board in ("evocode-bench/official", "evocode-bench/paper", "roadmapbench/paper"):
        assert f"{answer_by_address[board]}." in guide
    feed = json.loads((shipped_site / "feed.json").read_text(encoding="utf-8"))
    feed_text = " ".join(item["content_text"] for item in feed["items"])
    assert all(
        f"{answer_by_address[address]}." in feed_text
        for address in answer_by_address
        if re.fullmatch(r"changelog/[\d-]+", address)
    )
