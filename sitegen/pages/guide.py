"""A guide to the site for language models, as llmstxt.org has it: what is where, in Markdown."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.pages import addresses, labels
from sitegen.pages.board import facts


def guide_for_models(boards: Sequence[Board], site: str, name: str) -> str:
    """Write the guide.

    Args:
        boards: Of all benchmarks.
        site: Address of the site, ending in `/`; empty where it is not known: links are then relative.
        name: What the site is called.
    """
    return "\n".join(_lines(boards, site, name)) + "\n"


def _lines(boards: Sequence[Board], site: str, name: str) -> Iterator[str]:
    yield f"# {_plain(name)}"
    yield ""
    yield "> Benchmark results. Scores are recomputed from the raw reward of every round, beside what others claim."
    yield ""
    yield "Rows of the evidence `reported` come from published tables and are not recomputed. A gap is null, never 0."
    yield "Rows that share a tie group cannot be told apart: do not quote a rank without its group."
    yield ""
    yield "## Boards"
    yield ""
    for board in boards:
        where = (board.benchmark.id, board.track.id)
        title = _plain(f"{board.benchmark.title}: {board.track.title}")
        simulated = "; simulated, no model was run" if board.benchmark.simulated else ""
        headline = labels.title_of(board.headline, board.track, board.benchmark)
        as_json, as_csv = (f"{site}{each}" for each in addresses.board_scores(*where))
        about = f"ranked by {headline}; {facts(board)}{simulated}"
        yield f"- [{title}]({site}{addresses.board_address(*where)}): {about}. [JSON]({as_json}), [CSV]({as_csv})"
    yield ""
    yield "## More"
    yield ""
    yield f"- [How scores are made]({site}{addresses.METHODS}): every metric with its formula and source"
    yield f"- [All scores]({site}{addresses.SCORES}): JSON, with its schema at {site}{addresses.schema_file('scores')}"
    yield f"- [Changelog]({site}{addresses.CHANGELOG}): what each release brought, and why"
    yield f"- [Data]({site}{addresses.DATA}): the submitted files that the scores are computed from"


def _plain(text: str) -> str:
    """Keep a text from making links of its own."""
    return " ".join(text.translate(str.maketrans("[]<>", "()  ")).split())
