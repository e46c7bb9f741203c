"""A guide to the site for language models, as llmstxt.org has it: what is where, in Markdown."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.pages import addresses, labels
from sitegen.pages.facts import facts
from sitegen.pages.imprint import Imprint


def guide_for_models(boards: Sequence[Board], imprint: Imprint) -> str:
    """Write the guide.

    Args:
        boards: Of all benchmarks.
        imprint: What is known of the site; its links are relative where its address is not.
    """
    return "\n".join(_lines(boards, imprint)) + "\n"


def _lines(boards: Sequence[Board], imprint: Imprint) -> Iterator[str]:
    site = imprint.site
    yield f"# {_plain(imprint.name)}"
    yield ""
    yield "> Benchmark results. Scores are recomputed from the raw reward of every round, beside what others claim."
    yield ""
    yield "Rows of the evidence `reported` come from published tables and are not recomputed. A gap is null, never 0."
    yield "`rank` is the order of the scores, `rank_interval` what the data shows of it: quote them together."
    yield ""
    yield "## Boards"
    yield ""
    for board in boards:
        where = (board.benchmark.id, board.track.id)
        title = _plain(f"{board.benchmark.title}: {board.track.title}")
        simulated = "; simulated, no model was run" if board.benchmark.simulated else ""
        headline = labels.title_of(board.headline, board.track, board.benchmark)
        files = ", ".join(f"[{each.kind.title}]({site}{each.address})" for each in imprint.scores_files(*where))
        about = f"ranked by {headline}; {facts(board)}{simulated}"
        yield f"- [{title}]({site}{addresses.board_address(*where)}): {about}. {files}"
    yield ""
    yield "## More"
    yield ""
    yield f"- [How scores are made]({site}{addresses.METHODS}): every metric with its formula and source"
    yield f"- [All scores]({site}{addresses.SCORES}): JSON, with its schema at {site}{addresses.schema_file('scores')}"
    yield f"- [API]({site}{addresses.API}): what each file holds, with examples"
    yield f"- [Changelog]({site}{addresses.CHANGELOG}): what each release brought, and why"
    yield f"- [Data]({site}{addresses.DATA}): the submitted files that the scores are computed from"


def _plain(text: str) -> str:
    """Keep a text from making links of its own."""
    return " ".join(text.translate(str.maketrans("[]<>", "()  ")).split())
