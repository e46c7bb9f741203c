"""Writes what is generated of a site: pages, what programs read, and what stands at former addresses."""

import gc
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from itertools import chain
from pathlib import Path

from sitegen.board.board import Board
from sitegen.board.comparison_file import comparison_file
from sitegen.board.entry import Entry
from sitegen.board.every_eval_ever import aggregate_of
from sitegen.board.export import Json, release_json, releases_json, scores_json
from sitegen.board.hugging_face import results_of
from sitegen.board.ledger import Ledger, ledger_of
from sitegen.board.outcomes_file import outcomes_files
from sitegen.board.rules import rules_json
from sitegen.board.tables import (
    Rows,
    rounds_csv,
    rounds_parquet,
    row_parquets,
    scores_csv,
    scores_parquet,
)
from sitegen.models.addresses import file_of_former
from sitegen.models.benchmark import AGENTS
from sitegen.models.release import Release
from sitegen.models.results import BenchmarkResults
from sitegen.models.schemas import DOCUMENTS, schema_of
from sitegen.models.site import CSV, JSON, PARQUET, FileKind, Name, Page, Site
from sitegen.pages import addresses
from sitegen.pages.addresses import BoardAddresses
from sitegen.pages.charts import panels_of
from sitegen.pages.descriptions import (
    Datasets,
    guide_for_models,
    rounds_files,
    row_files,
    scores_files,
)
from sitegen.pages.environment import COMPILED, Templates
from sitegen.pages.kinds.agents import agent_pages
from sitegen.pages.kinds.home import keys_fragments, lead_of, rules_fragments
from sitegen.pages.kinds.releases import news_of
from sitegen.pages.kinds.trajectory import closed_places
from sitegen.pages.needs import digest_of
from sitegen.pages.sharing import badges_of, cards_of, citation_of
from sitegen.pages.site import Batch, Portion, Whole, batches_of, fragments_of
from sitegen.pipeline.drawing import drawing, drawing_cards
from sitegen.pipeline.elsewhere import on_workers_of
from sitegen.pipeline.judging import Judged, judge
from sitegen.pipeline.known import Known, Remembered
from sitegen.pipeline.order import Built, Order, Watch
from sitegen.pipeline.rules import all_rules
from sitegen.problems import LinkError, ProblemsError, UsageError, errors_of, grouped
from sitegen.publish import site
from sitegen.publish.builder import Stub
from sitegen.publish.cache import Part, told_of
from sitegen.publish.processes import Turns, shared_out
from sitegen.publish.project import program_version
from sitegen.publish.records import yaml_text
from sitegen.publish.site import Tree, broken_links
from sitegen.publish.stamping import PALETTE, Shell, cut_shell, fill_slot, guarded
from sitegen.publish.styles import parsed, take_parsed, with_styles_inside, words_on
from sitegen.store.redirects import hides

GUIDE = "llms.txt"
CHARTS = "assets/charts"
"""Where a site has its drawings: readers find them in its pages, and what they are drawn from here."""
_PAGE = "index.html"
_FORWARDING = "forwarding.html.j2"
"""The whole page at a former address, which leads readers to where something is now."""
_RARELY = 20_000
"""So many objects come before Python looks for what could go: what pages are made of comes in thousands, and goes."""


_WRITERS: Mapping[FileKind, Callable[[Rows], bytes]] = {
    JSON: lambda rows: _text(scores_json(rows)).encode(),
    CSV: lambda rows: scores_csv(rows).encode(),
    PARQUET: scores_parquet,
}
"""What writes the scores of a board as each kind of file."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the generated pages of a site are written into."""

    tree: Tree
    work: Path
    templates: Path
    stubs: Sequence[Stub]
    """A page for every benchmark, which the builder makes."""
    finish: Callable[[], None]
    """Waits for the builder."""
    site: Site
    """What every page knows of the site."""
    known: Known
    """What the last build left, and what this one is made of."""


def write_site(folder: Path, frame: Frame, order: Order, watch: Watch) -> Built:
    """Read and score a results folder, write everything that is generated, and check links.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        UsageError: The settings name a lead that is none.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the site leads nowhere.
    """
    tree = frame.tree
    cache = frame.known.cache
    elsewhere = on_workers_of(order.scheduler) if order.scheduler else None
    judged = judge(folder, order.day, watch.reading, memory=Remembered(frame.known, elsewhere))
    problems = judged.problems()
    if not judged.boards or (errors_of(problems) and not order.allow_problems):
        raise ProblemsError(problems)
    lead_of(list(chain.from_iterable(judged.boards)), frame.site.lead)  # before the work is done
    scores = scores_json(
        judged.entries()
    )  # now, so that processes share the intervals that it asks for
    gc.freeze()  # what is known by now stays: to look through it again and again would double the time
    gc.set_threshold(_RARELY)
    panels = chain.from_iterable(map(panels_of, judged.boards))
    with drawing(panels, frame.work / "charts", cache) as draw:
        templates = Templates(frame.templates, draw, frame.site)
        _compile(templates, frame.known)  # in the builder's time
        cards = cards_of(judged.boards, judged.results.releases, templates)
        with drawing_cards(cards, frame.work / "cards", cache, tree):
            frame.finish()
            for path in chain.from_iterable(map(tree.root.glob, closed_places(judged.entries()))):
                path.unlink()
            pages = _Pages(judged, templates, _shells(frame.stubs, tree), frame, watch.writing)
            written = list(chain.from_iterable(shared_out(order.jobs, pages.write_share)))
    cache.take_in(written)
    tree.written.extend(
        chain.from_iterable(part.files.items() for _, part in written)
    )  # by other processes, too
    files = {file for _, part in written for file in part.files}
    ledger = ledger_of(judged.results.releases, judged.boards, program_version())
    pages.write_parts(ledger)
    site.add_to_search(tree, chain.from_iterable(part.told for _, part in written))
    _offer(ledger, scores, pages)
    site.write_map(tree, frame.site.address)
    forward(judged, tree, templates)
    links = broken_links(tree.root, frame.site.path, () if order.check_links else files)
    if links:
        raise LinkError(links)
    return Built(order.site, len(files), problems)


def _compile(templates: Templates, known: Known) -> None:
    """Read every template, as the last build compiled it."""
    name = known.inputs.templates("compiled")
    if last := known.cache.get(name):
        COMPILED.load(last)
    templates.ready()
    if not last:
        known.cache.put(name, COMPILED.dump())


_BOARD_STYLES = re.compile(r'<link rel="stylesheet" href="[^"]*assets/board\.css">\s*')
"""What of the styles only pages need that readers arrive at: boards and benchmarks."""

_Shells = Mapping[tuple[str, bool, int], Shell]
"""The shells of pages: by benchmark, whether pages carry their styles, and the depth that they stand at."""


def _shells(stubs: Sequence[Stub], tree: Tree) -> _Shells:
    """Cut the shells of all pages from the stubs, before the first page takes the place of one."""
    shells = {}
    deepest = addresses.depth(BoardAddresses("b", "t").round("task", 1))
    for stub in stubs:
        path = tree.page(addresses.benchmark_address(stub.section))
        page = PALETTE.sub("", path.read_text(encoding="utf-8"))
        below = _BOARD_STYLES.sub("", page)
        for is_landing, text in ((False, below), (True, with_styles_inside(page, path.parent))):
            for depth in range(1, deepest + 1):
                shells[stub.section, is_landing, depth] = cut_shell(text, depth - 1)
    return shells


@dataclass(frozen=True)  # no slots: digests are found out once
class _Pages:
    """The generated pages of one build."""

    judged: Judged
    templates: Templates
    shells: _Shells
    frame: Frame
    progress: Callable[[object], None]

    def write_share(self, turns: Turns) -> list[tuple[str, Part]]:
        """Write one process's share of the pages: the batches whose turn it is; those that changed nothing stay."""
        written: list[tuple[str, Part]] = []
        releases = self.judged.results.releases
        every = list(self.judged.all_boards())
        sitewide = Portion("agents", None, partial(agent_pages, every, self.templates))
        batches: Iterator[tuple[str, Batch]] = chain(
            (
                (boards[0].benchmark.id, batch)
                for boards in self.judged.boards
                for batch in batches_of(boards, self.templates, releases)
            ),
            [(AGENTS, lambda: [sitewide])],
        )
        turn = next(turns)
        for number, (section, batch) in enumerate(batches):
            if number != turn:
                continue
            turn = next(turns)
            for portion in batch():
                key = self.key(section, portion.name, portion.needs)
                make = partial(self._write, section, portion)
                part = self.frame.known.cache.part(key, self.frame.tree, make)
                written.append((key, part))
                for file in part.files:
                    self.progress(file)
        return written

    def key(self, section: str, name: str, needs: str | None) -> str:
        """Name something about a benchmark by all that it is made of; empty where nobody knows that."""
        common = self._needs[section]
        return (
            digest_of(common, name, self._whole[section] if needs is None else needs)
            if common
            else ""
        )

    def _write(self, section: str, portion: Portion) -> list[Name]:
        """Write the pages of a portion; give what the search finds there."""
        names: list[Name] = []
        for page in portion.pages():
            self.frame.tree.write_page(page.address, self._stamped(section, page))
            names += page.names
        return names

    @cached_property
    def _needs(self) -> Mapping[str, str]:
        """A digest of what all pages of a benchmark need: program, templates, shells, and what is known of the site."""
        shells = grouped((section, shell) for (section, _, _), shell in self.shells.items())
        inputs, site = self.frame.known.inputs, self.frame.site
        return {section: inputs.templates(site, each) for section, each in shells.items()}

    @cached_property
    def _whole(self) -> Mapping[str, str]:
        """A digest of all that pages of a benchmark may be made of."""
        inputs, judged = self.frame.known.inputs, self.judged
        problems, releases = told_of(judged.problems()), judged.results.path / "releases"
        whole = {AGENTS: inputs.of(judged.results.path, others=problems)}
        for each, found in zip(judged.results.benchmarks, judged.boards, strict=True):
            others = (problems, each.arrivals, found[0].waivers.numbered)
            whole[each.benchmark.id] = inputs.of(each.path, releases, others=others)
        return whole

    def _stamped(self, section: str, page: Page) -> str:
        """Make a page of a benchmark; those that readers arrive at carry their styles, since readers have none yet."""
        return self.shells[section, page.is_landing, addresses.depth(page.address)].stamp(page)

    def write_parts(self, ledger: Ledger) -> None:
        """Write what is not a page of its own: raw files, generated parts of authored pages, drawings."""
        tree = self.frame.tree
        raw = {
            results.benchmark.id: _copy_raw(results, tree)
            for results in self.judged.results.benchmarks
        }
        known, whole = self.frame.known, Whole(ledger, raw, self.judged.problems())
        rules = known.found(
            known.inputs.templates("rules"),
            lambda: list(rules_fragments(all_rules(), self.templates)),
        )
        if tree.page(addresses.FORMAT).exists():  # boards of others have no documentation
            rules += known.found(
                known.inputs.templates("keys"), lambda: list(keys_fragments(self.templates))
            )
        for address, slot, content in (*rules, *fragments_of(whole, self.templates)):
            text = tree.page(address).read_text(encoding="utf-8")
            tree.write_page(address, fill_slot(text, slot, content))
        releases = (release.release.date for release in ledger.releases)
        sheets = known.inputs.authored("styles")
        if last := known.cache.get(sheets):
            take_parsed(bytes(last))
        for address in (
            "",
            addresses.CHANGELOG,
            *map(addresses.release_address, releases),
        ):  # where readers arrive
            path = tree.page(address)
            text = with_styles_inside(
                path.read_text(encoding="utf-8"), path.parent, words_on(path, tree.root)
            )
            tree.write_page(address, text)
        if not last:
            known.cache.put(sheets, parsed())
        for path in sorted((self.frame.work / "charts").iterdir()):
            tree.copy(path, f"{CHARTS}/{path.name}")
        usable = {AGENTS, *(boards[0].benchmark.id for boards in self.judged.boards)}
        for stub in self.frame.stubs:
            if stub.section not in usable:  # its tab leads there
                words = "Its definition has errors, so nothing of it is shown."
                page = Page(
                    addresses.benchmark_address(stub.section), stub.title, words, f"<p>{words}</p>"
                )
                tree.write_page(page.address, self._stamped(stub.section, page))


def _copy_raw(results: BenchmarkResults, tree: Tree) -> list[str]:
    """Put the benchmark's files on the site as they were submitted: the evidence behind every number."""
    files = (path for path in results.path.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(results.path).as_posix() for path in files)
    shown = sorted(filter(addresses.is_carried, names))
    for name in shown:
        tree.copy(results.path / name, addresses.raw_address(results.benchmark.id, name))
    return shown


def _offer(ledger: Ledger, scores: Json, pages: _Pages) -> None:
    """Write what programs read: scores, releases, their schemas and checksums, badges, citations and feeds."""
    tree, templates, known = pages.frame.tree, pages.templates, pages.frame.known
    releases = [each.release for each in ledger.releases]
    boards = [board for each in ledger.benchmarks for board in each]
    tree.write(addresses.SCORES, _text(scores))
    tree.write(
        addresses.RULES,
        json.dumps(rules_json(boards), separators=(",", ":"), ensure_ascii=False) + "\n",
    )
    for board in boards:
        key = pages.key(board.benchmark.id, f"offer {board.track.id}", None)
        known.cache.part(key, tree, partial(_offer_board, board, releases, tree, templates))
        for entry in board.all_entries if PARQUET in templates.site.kinds else ():
            if entry.bundle:
                made_of = known.inputs.bundle(entry.bundle.path)
                key = digest_of("parquet", board.track.id, made_of) if made_of else ""
                known.cache.part(key, tree, partial(_offer_row, board, entry, tree))
    tree.write(addresses.RELEASES, _text(releases_json(ledger.releases)))
    for each in ledger.releases:
        tree.write(addresses.release_file(each.release.date), _text(release_json(ledger, each)))
    schemas = known.found(
        known.inputs.of(others="schemas"),
        lambda: {kind: schema_of(each) for kind, each in DOCUMENTS.items()},
    )
    for kind, schema in schemas.items():
        tree.write(addresses.schema_file(kind), _text(schema))
    folder = (tree.root / addresses.CHECKSUMS).parent
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = (
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files
    )
    tree.write(addresses.CHECKSUMS, "".join(sums))
    feed = site.Feed(templates.site.name, templates.site.address, news_of(ledger))
    tree.write(site.ATOM, feed.atom())
    tree.write(site.JSON, feed.json())
    tree.write(GUIDE, guide_for_models(boards, templates.site))


def _offer_board(
    board: Board, releases: Sequence[Release], tree: Tree, templates: Templates
) -> None:
    where, rows = addresses.of(board), [(board, entry) for entry in board.all_entries]
    for file_kind, address in scores_files(board, templates.site):
        tree.write_bytes(address, _WRITERS[file_kind](rows))
    for file_kind, address in rounds_files(board, templates.site):
        tree.write_bytes(address, rounds_csv(board) if file_kind == CSV else rounds_parquet(board))
    table = scores_csv(rows).encode()
    croissant = Datasets(where.croissant, templates.site, releases).croissant(board, table)
    tree.write(
        where.croissant, json.dumps(croissant, separators=(",", ":"), ensure_ascii=False) + "\n"
    )
    for entry in board.all_entries:
        for file in row_files(board, entry):
            tree.write(file.address, _handed_on(file.address, board, entry, templates.site))
    compared = json.dumps(comparison_file(board), separators=(",", ":"), ensure_ascii=False)
    tree.write(where.compare_data, compared + "\n")
    for task, number, outcomes in outcomes_files(board):
        tree.write(
            where.outcomes(task, number),
            json.dumps(outcomes, separators=(",", ":"), ensure_ascii=False),
        )
    for address, badge in badges_of(board, releases, templates):
        tree.write(address, badge)
    tree.write(where.citation, citation_of(board, None, releases, templates.site.address).cff)


def _offer_row(board: Board, entry: Entry, tree: Tree) -> None:
    """Write a row's rounds and cases, for those who query many."""
    for name, table in row_parquets(board, entry):
        tree.write_bytes(addresses.of(board).row_table(entry.id, name), table)


def _handed_on(address: str, board: Board, entry: Entry, of: Site) -> str:
    """A row of a site's board as others have it, without its rounds."""
    if address.endswith(".yaml"):
        (results,) = results_of([(board, entry)], of, {}).values()
        return yaml_text(results)
    return _text(aggregate_of(board, entry, of))


def _text(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _redirect(judged: Judged, tree: Tree, templates: Templates) -> None:
    """Put a page that leads on at each address of a former site; none leads to another, since all targets stand before.

    Raises:
        UsageError: Something stands there, or nothing where it leads; says all that is wrong.
    """
    pages: dict[str, str] = {}
    wrong = []
    for benchmark in judged.results.benchmarks:
        for each in benchmark.benchmark.redirects:
            there = file_of_former(each.old)
            told = f"{benchmark.path.name}/benchmark.toml: `[[redirects]]` from {each.old}"
            above = (tree.root / up for up in Path(there).parents)
            if (
                hides(there, set(pages))
                or (tree.root / there).exists()
                or any(each.is_file() for each in above)
            ):
                wrong.append(f"{told}: something stands there already; a redirect may not hide it")
            if not tree.page(f"{each.new}/").is_file():
                wrong.append(
                    f"{told} to {each.new}: the site has no such page; name one by its address"
                )
            pages[there] = templates.fill(
                _FORWARDING, there.removesuffix(_PAGE), {"new": f"{each.new}/"}
            )
    if wrong:
        raise UsageError("\n".join(wrong))
    for there, page in pages.items():
        tree.write(there, guarded(page))


def forward(judged: Judged, tree: Tree, templates: Templates) -> None:
    """Lead readers on from every page at or below a former address; other files, such as badges, are at both.

    Boards as releases have them are among these: they are what is cited. So are rows of published tables for which
    others stand now. The site has everything else by then.
    """
    _redirect(judged, tree, templates)
    moves = []
    for board in judged.all_boards():
        for old, successor in board.successors.items():
            rows = (addresses.of(board).entry(name) for name in (old, successor.id))
            former, now = (each.rstrip("/") for each in rows)
            moves.append((former, now, "*"))
    renamed = [
        each for benchmark in judged.results.benchmarks for each in benchmark.benchmark.renamed
    ]
    places = ["", *(addresses.release_address(release.date) for release in judged.results.releases)]
    for each in sorted(
        renamed, key=lambda each: len(each.old), reverse=True
    ):  # what is said of a part goes first
        moves += [(f"{place}{each.old}", f"{place}{each.new}", "**/*") for place in places]
    for former, now, pattern in moves:
        for path in sorted(file for file in (tree.root / now).glob(pattern) if file.is_file()):
            inside = path.relative_to(tree.root / now).as_posix()
            there = f"{former}/{inside}"
            if (tree.root / there).exists():
                continue
            if path.name == _PAGE:
                old, new = (f"{above}/{inside.removesuffix(_PAGE)}" for above in (former, now))
                tree.write(there, guarded(templates.fill(_FORWARDING, old, {"new": new})))
            else:
                tree.copy(path, there)
