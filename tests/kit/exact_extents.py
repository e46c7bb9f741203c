"""The extents of scores, computed a second time from a bundle's records alone, and whether they are sufficient."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from kit.exact_scores import Exact, Value, cases_in, scored, worked

ZERO_FILLED = (
    "dataset_score", "case_score", "perfect_tasks", "mt_at_k", "comp", "resolved", "completion", "partial", "solved",
    "mean_reward",
)  # fmt: skip
CATEGORIES = {"iso": {"core", "functionality", "error"}, "core": {"core"}}

Pair = tuple[int, int]


def told(exact: Exact, name: str) -> Value:
    """Return a score, or None if its extent is too small."""
    value, (n, of) = getattr(exact, name)(), extent(exact, name)
    whole_run_lacks = name == "net_cost" and n < of
    return None if value is None or whole_run_lacks or 5 * n < 4 * of else value


def extent(exact: Exact, name: str) -> Pair:
    """Return the number of items that a score covers, and the number that it is defined over."""
    return tasks(exact) if name in ZERO_FILLED else OTHERS[name](exact)


def tasks(exact: Exact) -> Pair:
    recorded_tasks = {task for task, _, number, _ in exact.lines if number in exact.tasks.get(task, ())}
    return len(recorded_tasks), len(exact.tasks)


def reference(exact: Exact) -> Pair:
    line_keys = [(task, 1, number, "reference") for task, numbers in exact.tasks.items() for number in numbers]
    return sum(line_key in exact.lines for line_key in line_keys), len(line_keys)


def narrower(first_pair: Pair, second_pair: Pair) -> Pair:
    """Return the pair with the smaller share; the first pair if the shares are equal."""
    return min(first_pair, second_pair, key=lambda pair: Fraction(pair[0], max(pair[1], 1)))


def gap(exact: Exact) -> Pair:
    return narrower(reference(exact), tasks(exact))


def checkpoints(exact: Exact) -> Pair:
    cells = exact.cells()
    return len(cells) - cells.count(None), len(cells)


def categories(name: str) -> Callable[[Exact], Pair]:
    def over(exact: Exact) -> Pair:
        rows, cells = scored(exact.cells()), exact.cells()
        empty = sum("by_category" in row and not cases_in(row, CATEGORIES[name]) for row in rows)
        return len(cells) - empty - cells.count(None), len(cells) - empty

    return over


def with_interactions(exact: Exact) -> Pair:
    """Return the known and total attempts if the source has figures of any complete run, or else rounds."""
    runs = [(worked(run), exact.interactions(task, attempt, run)) for task, attempt, run in exact.runs()]
    runs = [(rows, interactions) for rows, interactions in runs if rows]
    if any(
        run_interactions is not None and not any("interactions" in row for row in rows)
        for rows, run_interactions in runs
    ):
        return sum(run_figure is not None for _, run_figure in runs), len(runs)
    return rounds(exact, "interactions", "interactions_per_round")


def with_figure(name: str) -> Callable[[Exact], Pair]:
    def over(exact: Exact) -> Pair:
        runs = [(worked(run), exact.run_total(task, attempt, name)) for task, attempt, run in exact.runs()]
        run_extent = sum(run_value is not None for _, run_value in runs), sum(bool(rows) for rows, _ in runs)
        return narrower(run_extent, rounds(exact, name, name))

    return over


def rounds(exact: Exact, name: str, of_run: str) -> Pair:
    """Return the reached rounds with a figure of their own or from their run, and the number of all reached rounds."""
    known_rounds = of = 0
    for task, attempt, run in exact.runs():
        rows = worked(run)
        of += len(rows)
        known_rounds += sum(name in row for row in rows) or len(rows) * (
            exact.figure(task, attempt, of_run) is not None
        )
    return known_rounds, of


def with_amount(name: str) -> Callable[[Exact], Pair]:
    def over(exact: Exact) -> Pair:
        round_values, _, produced = exact.taken(name)
        return len(round_values) + produced, len(worked(exact.cells()))

    return over


def net_cost(exact: Exact) -> Pair:
    recorded_count, of = tasks(exact)
    return (recorded_count, of) if recorded_count < of else with_amount("cost_usd")(exact)


def measured(name: str) -> Callable[[Exact], Pair]:
    def over(exact: Exact) -> Pair:
        rows = worked(exact.cells())
        keys = [key for row in rows for key in row.get("measures", {}) if key.split("@")[0] == name]
        return max(map(keys.count, keys), default=0), len(rows)

    return over


OTHERS: Mapping[str, Callable[[Exact], Pair]] = {
    "avg_rounds": with_interactions,
    "avg_turns": with_figure("turns"),
    "output_tokens_k": with_figure("output_tokens"),
    "sr": reference,
    "gap": gap,
    "strict": checkpoints,
    "iso": categories("iso"),
    "core": categories("core"),
    "net_cost": net_cost,
    "cost_per_round": with_amount("cost_usd"),
    "minutes_per_round": with_amount("agent_seconds"),
    "erosion": measured("erosion"),
    "verbosity": measured("verbosity"),
}
