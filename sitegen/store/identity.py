"""Who is who, and which of a team's submissions stands: one name is one agent, and one agent has one name."""

import json
import pkgutil
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Status
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import broken_in
from sitegen.store.layout import DEFINITION, MANIFEST

ALIAS_CHAINED = Rule.error(
    "ALIAS-CHAINED",
    "An alias leads to an agent's one name, and not to another alias.",
    "let every spelling name the agent itself",
    unwaivable=reasons.OWN,
)
NAMES_ALIKE = Rule.warning(
    "AGENT-NAMES-ALIKE",
    "Names of two agents differ in more than case, blanks, accents and punctuation.",
    "where they are one agent, name the other spelling under `[aliases]` in benchmark.toml",
)
AGENT_CONTRADICTED = Rule.error(
    "AGENT-CONTRADICTED",
    "An agent's name stands for one model of one organization.",
    "correct the manifest, or give the other agent a name of its own",
)
AGENT_TWICE = Rule.warning(
    "AGENT-TWICE",
    "An agent is published once on a track.",
    "let the older submission say that it is superseded, and by which",
)
STATUS_INCOMPLETE = Rule.error(
    "STATUS-INCOMPLETE",
    "A superseded submission says by which; a withdrawn one says why and when.",
    "add the key to `[status]`",
)
STATUS_CONTRADICTED = Rule.error(
    "STATUS-CONTRADICTED",
    "Only a submission that no longer stands says why and by which.",
    'set `state` to "superseded" or "withdrawn", or remove the key',
)
STATUS_EARLY = Rule.error(
    "STATUS-DATE-EARLY",
    "A submission's status changes on or after the day of its results.",
    "correct `status.date` or `date`",
)
REPLACEMENT_WRONG = Rule.error(
    "STATUS-REPLACEMENT-WRONG",
    "A superseded submission names another that is here, on its track or on the one that supersedes it.",
    "name the folder of the submission that replaces this one",
)


def skeleton(text: str) -> str:
    """Write each letter as the one that stands for all that look like it: `CIaude` and `Claude` become the same.

    The standard leaves letters and their accents apart; here they are composed, which tells the same texts apart.
    """
    plain = unicodedata.normalize("NFD", text)
    for _ in range(
        2
    ):  # what stands for a letter may be several, of which one looks like another in turn
        plain = plain.translate(_prototypes())
    return unicodedata.normalize("NFC", plain)


@cache
def _prototypes() -> Mapping[int, str]:
    """The letter, or letters, that stand for each letter.

    The table lists what looks alike both ways, and not which of the two stands for the other: it is the one that
    several are listed with, or that has several letters; of two that know only each other, it may be either.
    """
    text = (pkgutil.get_data("homoglyphs_fork", "confusables.json") or b"").decode()
    # A mark of direction stands there around letters of right-to-left scripts, and in no name.
    alike: Mapping[str, list[str]] = json.loads(text.replace("\\u200e", ""))
    stands = {shown for shown, others in alike.items() if len(shown) > 1 or len(others) > 1}
    stands |= {
        min(shown, *others)
        for shown, others in alike.items()
        if stands.isdisjoint((shown, *others))
    }
    return {ord(each): shown for shown in stands for each in alike.get(shown, ()) if len(each) == 1}


_POINT, _SIGN = re.compile(r"(?<!\d)\.|\.(?!\d)"), re.compile(r"[^\w.+]|_")
"""What two spellings of a name may differ in; the point of a version and a plus are part of it."""


def alias_problems(benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """The spellings whose alias is no agent's one name, each with the fact."""
    for spelling, name in benchmark.aliases.items():
        if name == spelling:
            yield spelling, f"`{spelling}` stands for itself"
        elif name in benchmark.aliases:
            further = benchmark.aliases[name]
            yield spelling, f"`{spelling}` stands for `{name}`, which stands for `{further}`"


def roster_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Which names stand for several agents, and which agents have several names or rows.

    What one of two submissions is told of the other, the first one is not.
    """
    standing = {
        each.id: each for each in results.bundles if each.submission.status.state == "published"
    }
    bundles = [standing[name] for name in results.arrivals.sorted(standing)]
    one_name, rows = (
        results.benchmark.agent_name,
        [row for table in results.reported for row in table.rows],
    )
    names = [one_name(each.submission.agent.name) for each in bundles]
    yield from _alike(
        results, "name", zip(names, bundles, strict=True), [one_name(row.name) for row in rows]
    )
    names = [each.submission.agent.organization or "" for each in bundles]
    yield from _alike(
        results,
        "organization",
        zip(names, bundles, strict=True),
        [row.organization or "" for row in rows],
    )
    yield from limited(_contradicted(results, bundles))
    yield from limited(_repeated(results, bundles))


def _alike(
    results: BenchmarkResults,
    key: str,
    bearing: Iterable[tuple[str, Bundle]],
    printed: Iterable[str],
) -> Iterator[Problem]:
    """Names that are hardly two, told at the first bundles that have them but the very first of all.

    Published tables have the `printed` ones. Organizations may be written with other cases and signs.
    """
    first: dict[str, Bundle] = {}
    for name, bundle in bearing:
        first.setdefault(name, bundle)
    for names in _likenesses([*printed, *first], str if key == "name" else _folded):
        bearers = {first[each].id: first[each] for each in names if each in first}
        what = f"{' and '.join(f'`{each}`' for each in sorted(names))} are hardly two names"
        for bundle in bearers.values():
            if len(bearers) < len(names) or results.arrivals.elder(bundle.id, bearers):
                yield broken_in(bundle.path / MANIFEST, NAMES_ALIKE, ("agent", key), what)
        if not bearers:
            yield NAMES_ALIKE.broken(results.path / DEFINITION, None, what)


def _contradicted(results: BenchmarkResults, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Names that stand for several models, or organizations, told at the first bundles but the very first."""
    known: dict[tuple[str, str], dict[str, tuple[Bundle, str]]] = defaultdict(dict)
    for bundle in bundles:
        agent, name = (
            bundle.submission.agent,
            results.benchmark.agent_name(bundle.submission.agent.name),
        )
        for key, value in (("organization", agent.organization), ("model", agent.model)):
            if value:  # a model's own name counts, without the provider that it was asked from
                known[name, key].setdefault(_folded(value.rpartition("/")[2]), (bundle, value))
    for (name, key), told in known.items():
        values = {bundle.id: value for bundle, value in told.values()}
        for bundle, value in told.values():
            elder = results.arrivals.elder(bundle.id, values)
            if elder:
                what = f"the {key} of `{name}` is `{value}`, but `{values[elder]}` in {elder}"
                what += results.arrivals.remark(bundle.id, elder)
                yield broken_in(bundle.path / MANIFEST, AGENT_CONTRADICTED, ("agent", key), what)


def _repeated(results: BenchmarkResults, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Agents that have another bundle on the same track, which may have come before; a rerun is none."""
    reruns = {finding.rerun for finding in results.findings if finding.kind == "reproduction"}
    rows: dict[tuple[str, ...], dict[str, Bundle]] = defaultdict(dict)
    for bundle in (each for each in bundles if each.id not in reruns):
        rows[results.benchmark.row_of(bundle.submission)][bundle.id] = bundle
    for (track, name, *_), entered in rows.items():
        for each, bundle in entered.items():
            elder = results.arrivals.elder(each, entered)
            if elder:
                remark = results.arrivals.remark(each, elder)
                what = f"`{name}` has {'another' if remark else 'an older'} submission on {track}, {elder}{remark}"
                yield broken_in(bundle.path / MANIFEST, AGENT_TWICE, ("agent", "name"), what)


def _likenesses(names: Iterable[str], same: Callable[[str], str]) -> Iterator[frozenset[str]]:
    """The names that differ in nothing that matters, several at a time."""
    groups: dict[tuple[int, str], set[str]] = defaultdict(set)
    for each in filter(None, names):
        seen = _SIGN.sub("", _without_accents(skeleton(_POINT.sub("", each)))).casefold()
        for number, left in enumerate((_folded(each), seen)):
            groups[number, left].add(each)
    found = (frozenset(group) for (_, left), group in groups.items() if left)
    yield from dict.fromkeys(group for group in found if len(set(map(same, group))) > 1)


def _without_accents(text: str) -> str:
    """Return a text without dots, accents and other marks on its letters: `Claud\u0117` becomes `Claude`."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _folded(name: str) -> str:
    """What is left of a name where case, blanks and punctuation are no matter."""
    return _SIGN.sub("", _POINT.sub("", unicodedata.normalize("NFKC", name).casefold()))


_NEEDED = {"superseded": ("by",), "withdrawn": ("reason", "date"), "published": ()}
_UNFIT = {"superseded": (), "withdrawn": (), "published": ("by", "reason")}


def status_problems(
    benchmark: Benchmark, bundles: Mapping[str, Bundle], there: Collection[str]
) -> Iterator[Problem]:
    """What is wrong with the status of bundles, and with those that replace others."""
    tracks = {each.id: each.superseded_by for each in benchmark.tracks}
    renamed = {
        each.old.rpartition("/")[2]: each.new.rpartition("/")[2] for each in benchmark.renamed
    }
    states = {each.id: each.submission.status for each in bundles.values()}
    following = {
        name: each.by
        for name, each in states.items()
        if each.state == "superseded" and _is_told(each, "by")
    }
    for bundle in bundles.values():
        status, day, found = bundle.submission.status, bundle.submission.date, list[Breach]()
        for key in _NEEDED[status.state]:
            if not _is_told(status, key):
                what = f'the state is "{status.state}", but `{key}` is missing'
                found.append((key, STATUS_INCOMPLETE, what, f"add `{key}` to `[status]`"))
        for key in _UNFIT[status.state]:
            if _is_told(status, key):
                what = f'`{key}` stands here, but the state is "{status.state}"'
                found.append((key, STATUS_CONTRADICTED, what, None))
        if status.date and status.date < day:
            what = f"{status.state} on {status.date}, but the results are of {day}"
            found.append(("date", STATUS_EARLY, what, None))
        by = following.get(bundle.id)
        replacement, track = bundles.get(by or ""), bundle.submission.track
        if by is not None and by not in there:
            # The one that was called so may be meant, or one that is called nearly so.
            meant = (
                f"it is called `{renamed[by]}` now"
                if by in renamed
                else suggestion(by, {*there} - {bundle.id})
            )
            found.append(("by", REPLACEMENT_WRONG, f"there is no submission `{by}`", meant))
        elif replacement and replacement.submission.track not in _way(track, tracks.get):
            what = f"{by} is on track {replacement.submission.track}, and not on {track}"
            found.append(("by", REPLACEMENT_WRONG, what, None))
        elif by is not None:
            circle = _way(bundle.id, following.get)
            if following.get(circle[-1]) == bundle.id == min(circle):
                what = (
                    f"{', '.join(sorted(circle))} replace each other"
                    if len(circle) > 1
                    else "it replaces itself"
                )
                found.append(("by", REPLACEMENT_WRONG, what, None))
        for key, rule, what, fix in found:
            yield broken_in(bundle.path / MANIFEST, rule, ("status", key), what, fix)


Breach = tuple[str, Rule, str, str | None]
"""The key at fault, the rule that it breaks, the fact, and what to do about it."""


def _is_told(status: Status, key: str) -> bool:
    value = getattr(status, key)
    return bool(value.strip() if isinstance(value, str) else value)


def _way(begin: str, following: Callable[[str], str | None]) -> list[str]:
    """What follows something, itself included, until nothing does or a circle is closed."""
    way: list[str] = []
    each: str | None = begin
    while each and each not in way:
        way.append(each)
        each = following(each)
    return way
