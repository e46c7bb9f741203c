"""The program's output for a results folder: scores, pages, tables and exports."""

import csv
import gzip
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import isclose
from pathlib import Path
from typing import Any

import pandas as pd
from lxml import html

from kit import rendered_pages as rendered
from kit.results_files import TODAY
from sitegen.board.board import Board
from sitegen.board.comparison_file import comparison_file
from sitegen.board.export import scores_json
from sitegen.board.frames import ResultFrames
from sitegen.board.tables import rounds_csv, scores_csv, scores_parquet
from sitegen.pages.kinds.agents import agent_pages
from sitegen.pipeline.evaluating import Evaluation, evaluate
from sitegen.problems import Problem, errors_of

Row = dict[str, Any]
GZIP = b"\x1f\x8b"
CLOSE = 1e-9
"""Absolute and relative tolerance within which numbers are equal."""


@dataclass
class ProgramBoard:
    """The program's output for one track."""

    board: Board

    @property
    def track(self) -> str:
        """The id of the track."""
        return self.board.track.id

    @property
    def address(self) -> str:
        """The address of the board's page."""
        return f"{self.board.benchmark.id}/{self.track}/"

    @cached_property
    def rows(self) -> dict[str, Row]:
        """Every row as `sitegen score --format json` prints it, by id."""
        entries = self.board.board_entries
        document = json.loads(json.dumps(scores_json(entries), allow_nan=False))
        return {row["id"]: row for row in document["submissions"]}

    @cached_property
    def scores_csv(self) -> list[dict[str, str]]:
        """The lines of the board's CSV file."""
        entries = self.board.board_entries
        return list(csv.DictReader(io.StringIO(scores_csv(entries))))

    @cached_property
    def scores_parquet(self) -> pd.DataFrame:
        """The board's Parquet file."""
        entries = self.board.board_entries
        return pd.read_parquet(io.BytesIO(scores_parquet(entries)))

    @cached_property
    def rounds_csv(self) -> pd.DataFrame:
        """The board's table of rounds."""
        data = rounds_csv(self.board)
        if data[:2] == GZIP:
            data = gzip.decompress(data)
        return pd.read_csv(io.BytesIO(data))

    @cached_property
    def comparison(self) -> Row:
        """The document that the comparison page loads."""
        document: Row = json.loads(json.dumps(comparison_file(self.board), allow_nan=False))
        return document

    @cached_property
    def better_pairs(self) -> set[tuple[str, str]]:
        """The pairs (better, worse) that the comparison shows if all pairs are tested together."""
        names = [row["id"] for row in self.comparison["rows"]]
        pairs, letters = combinations(names, 2), self.comparison["pairs"]["on_board"]
        better = set()
        for (first, second), letter in zip(pairs, letters, strict=True):
            if letter in "AB":
                better.add((first, second) if letter == "A" else (second, first))
        return better


@dataclass
class ProgramResults:
    """The program's output for a results folder."""

    judged: Evaluation

    @classmethod
    def of(cls, folder: Path) -> "ProgramResults":
        """Read and score a folder."""
        return cls(evaluate(folder, TODAY))

    @cached_property
    def errors(self) -> list[Problem]:
        """The errors that `sitegen validate` reports."""
        return list(errors_of(self.judged.problems()))

    @cached_property
    def boards(self) -> list[ProgramBoard]:
        """The boards of all tracks."""
        return [ProgramBoard(board) for board in self.judged.all_boards()]

    @cached_property
    def frames(self) -> ResultFrames:
        """The frames that `sitegen.load` returns."""
        return ResultFrames(list(self.judged.entries()))

    @cached_property
    def pages(self) -> Mapping[str, "PageText"]:
        """Every generated page, by address."""
        pages = {}
        for boards in self.judged.boards:
            for page in rendered.all_pages(boards):
                pages[page.address] = PageText(page.content)
        for page in agent_pages(list(self.judged.all_boards()), rendered.TEMPLATES):
            pages[page.address] = PageText(page.content)
        return pages


@dataclass
class PageText:
    """The content of a page, for checks of its text and elements."""

    content: str

    @cached_property
    def root(self) -> html.HtmlElement:
        """The page's elements."""
        return html.fromstring(f"<main>{self.content}</main>")

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the selected elements, with single spaces."""
        return [text_of(element) for element in self.root.cssselect(selector)]

    def text(self, selector: str) -> str:
        """Return the text of the first selected element; empty if there is none."""
        return next(iter(self.texts(selector)), "")

    @property
    def answer(self) -> str:
        """The first sentence of the page."""
        return self.text("[data-answer]")

    @property
    def sure(self) -> list[str]:
        """The sentences on how certain the first sentence is."""
        return sentences_of(self.text(".sg-sure"))

    def rows(self, selector: str) -> Iterator[tuple[str, html.HtmlElement]]:
        """Yield the rows of a table of submissions, each with its submission's id."""
        return submission_rows(self.root, selector)


def submission_rows(root: html.HtmlElement, selector: str) -> Iterator[tuple[str, html.HtmlElement]]:
    """Yield the rows of a table of submissions, each with its submission's id."""
    for element in root.cssselect(f"{selector} tr[data-submission]"):
        yield element.get("data-submission"), element


def text_of(element: html.HtmlElement) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, without their full stops."""
    sentences = text.replace("\N{NO-BREAK SPACE}", " ").split(". ")
    return [sentence.strip().removesuffix(".") for sentence in sentences if sentence.strip()]


def is_close(value: float | None, other_value: float | None) -> bool:
    """Return whether two numbers are equal apart from rounding, or are both gaps."""
    if value is None or other_value is None:
        return value is other_value
    return isclose(value, other_value, rel_tol=CLOSE, abs_tol=CLOSE)
