"""Rows as the Hub of Hugging Face has them: results of models, and the tasks of a benchmark's dataset.

Facts: huggingface/hub-docs, `eval_results.yaml` and `docs/hub/eval-results.md`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.every_eval_ever import page_of
from sitegen.board.export import Json, status_notes
from sitegen.models.benchmark import Benchmark
from sitegen.models.site import Site

DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_ON_THE_HUB = re.compile(rf"https://huggingface\.co/datasets/({DATASET.pattern})/?")
_OTHER = re.compile(r"[^a-z0-9]+")


def dataset_of(benchmark: Benchmark) -> str | None:
    """The dataset that a benchmark is on the Hub, where its homepage or paper leads there; None where nothing tells."""
    found = (_ON_THE_HUB.fullmatch(each) for each in (benchmark.homepage, benchmark.paper) if each)
    return next((each[1] for each in found if each), None)


def is_on_hub(board: Board, entry: Entry) -> bool:
    """Return whether the Hub can show a row.

    It needs a headline score, and shows every result as one that counts: `eval.yaml` has no
    withdrawn tracks.
    """
    return board.track.status != "withdrawn" and entry.value(board.track.headline) is not None


def results_of(
    rows: Iterable[tuple[Board, Entry]], site: Site, datasets: Mapping[str, str]
) -> dict[str, list[Json]]:
    """Return what goes into `.eval_results/` of each agent's repository, by the file's name.

    Rows of one agent on one track, whatever their scaffold, share a file.

    Args:
        rows: The rows, each with its board; one without a headline score is left out.
        site: The site whose pages are the source.
        datasets: The dataset of each benchmark on the Hub, by the benchmark's id; of a benchmark
            that is not there, its homepage or paper names it.
    """
    files: dict[str, list[Json]] = defaultdict(list)
    for board, entry in rows:
        value = entry.value(board.track.headline)
        if value is None or not is_on_hub(board, entry):
            continue
        bench, track = board.benchmark, board.track
        agent = _OTHER.sub("-", entry.agent.name.lower()).strip("-") or entry.id
        attempts = entry.sheet.made if entry.sheet else None
        about = {
            "scaffold": entry.agent.scaffold,
            "reasoning": entry.agent.reasoning,
            "attempts": attempts,
        }
        result: Json = {
            "dataset": {"id": datasets.get(bench.id) or dataset_of(bench), "task_id": track.id},
            "value": value,
            "date": str(entry.date),
        }
        if page := page_of(board, entry, site):
            result["source"] = {"url": page, "name": site.name}
        notes = ", ".join(f"{key}: {value}" for key, value in about.items() if value)
        facts = f"{board.headline.title}, evidence: {entry.evidence}"
        warnings = (*status_notes(board, entry), entry.missing_note(track.headline))
        result["notes"] = "; ".join(filter(None, (facts, notes, *warnings)))
        files[f"{agent}/.eval_results/{bench.id}-{track.id}.yaml"].append(result)
    return files


def definition_of(benchmark: Benchmark, runner: str | None) -> Json:
    """What goes into `eval.yaml` of a benchmark's dataset: a task for each track that is not withdrawn.

    The framework is the runner of most results; the Hub wants more of a dataset whose tasks Inspect is to run.
    """
    framework = _OTHER.sub("-", (runner or "").lower()).strip("-")
    tracks = [track for track in benchmark.tracks if track.status != "withdrawn"]
    return {
        "name": benchmark.title,
        "description": benchmark.summary
        or f"{benchmark.title}, every score recomputed from raw rewards.",
        "evaluation_framework": benchmark.id if framework in {"", "inspect-ai"} else framework,
        "tasks": [{"id": track.id} for track in tracks],
    }
