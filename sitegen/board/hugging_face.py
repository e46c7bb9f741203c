"""Rows in the formats of the Hugging Face Hub: results of models, and the tasks of a dataset.

Source: huggingface/hub-docs, `eval_results.yaml` and `docs/hub/eval-results.md`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.every_eval_ever import page_address
from sitegen.board.export import Json, status_notes
from sitegen.models.benchmark import Benchmark
from sitegen.models.site import Site

DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_HUB_ADDRESS = re.compile(rf"https://huggingface\.co/datasets/({DATASET.pattern})/?")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


def hub_dataset(benchmark: Benchmark) -> str | None:
    """Return a benchmark's dataset on the Hub, if its homepage or paper links to it."""
    for address in (benchmark.homepage, benchmark.paper):
        match = _HUB_ADDRESS.fullmatch(address or "")
        if match:
            return match[1]
    return None


def is_on_hub(board: Board, entry: Entry) -> bool:
    """Return whether the Hub can show a row.

    The Hub shows all results as equally valid, so the row needs a headline score, must not be
    listed apart, and its track must not be withdrawn.
    """
    if board.track.status == "withdrawn" or entry.apart:
        return False
    return entry.value(board.track.headline) is not None


def hub_results(
    rows: Iterable[BoardEntry], site: Site, datasets: Mapping[str, str]
) -> dict[str, list[Json]]:
    """Return the contents of `.eval_results/` in each agent's repository, by file name.

    Rows of one agent on one track share a file, whatever their scaffold.

    Args:
        rows: The rows, each with its board; rows for which `is_on_hub` is false are left out.
        site: The site whose pages are the source.
        datasets: Datasets on the Hub by benchmark id. For any other benchmark, the dataset linked
            by its homepage or paper is used.
    """
    files: dict[str, list[Json]] = defaultdict(list)
    for board, entry in rows:
        if not is_on_hub(board, entry):
            continue
        bench = board.benchmark
        agent = _slug(entry.agent.name) or entry.id
        path = f"{agent}/.eval_results/{bench.id}-{board.track.id}.yaml"
        dataset = datasets.get(bench.id) or hub_dataset(bench)
        files[path].append(_result(board, entry, site, dataset))
    return files


def _result(board: Board, entry: Entry, site: Site, dataset: str | None) -> Json:
    track = board.track
    result: Json = {
        "dataset": {"id": dataset, "task_id": track.id},
        "value": entry.value(track.headline),
        "date": str(entry.date),
    }
    page = page_address(board, entry, site)
    if page:
        result["source"] = {"url": page, "name": site.name}
    settings = {
        "scaffold": entry.agent.scaffold,
        "reasoning": entry.agent.reasoning,
        "attempts": entry.attempts,
    }
    stated_settings = [f"{key}: {value}" for key, value in settings.items() if value]
    settings_note = ", ".join(stated_settings)
    notes = (
        f"{board.headline.title}, evidence: {entry.evidence}",
        settings_note,
        *status_notes(board, entry),
        entry.missing_note(track.headline),
    )
    result["notes"] = "; ".join(filter(None, notes))
    return result


def _slug(name: str) -> str:
    return _NOT_IN_NAMES.sub("-", name.lower()).strip("-")


def hub_definition(benchmark: Benchmark, runner: str | None) -> Json:
    """Return the `eval.yaml` of a benchmark's dataset, with its tracks that are not withdrawn.

    The framework is the given runner. It is the benchmark's id if there is no runner, and for
    Inspect, because the Hub expects more of a dataset for Inspect.
    """
    framework = _slug(runner or "")
    if framework in {"", "inspect-ai"}:
        framework = benchmark.id
    summary = f"{benchmark.title}, every score recomputed from raw rewards."
    tasks = [{"id": track.id} for track in benchmark.tracks if track.status != "withdrawn"]
    return {
        "name": benchmark.title,
        "description": benchmark.summary or summary,
        "evaluation_framework": framework,
        "tasks": tasks,
    }
