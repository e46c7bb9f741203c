"""Check that agents have one name and one published submission. Read `roster_problems` first."""

import json
import pkgutil
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.revisions import adds_missing_tasks, revises
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.toml import broken_in
from sitegen.store.checks.document_breaches import Breach
from sitegen.store.files.layout import DEFINITION_FILE, MANIFEST_FILE

ALIAS_CHAINED = Rule.error(
    "ALIAS-CHAINED",
    "An alias leads to another alias.",
    "give every alias the agent's own name",
    unwaivable=reasons.OWN,
)
NAMES_ALIKE = Rule.warning(
    "AGENT-NAMES-ALIKE",
    "The names of two agents differ only in case, spaces, accents or punctuation.",
    "if they are one agent, add the other spelling under `[aliases]` in benchmark.toml",
)
AGENT_CONTRADICTED = Rule.error(
    "AGENT-CONTRADICTED",
    "Submissions under one agent name differ in model or organization.",
    "correct `[agent]` in submission.toml, or give one of the two agents another name; "
    "`sitegen submit` takes both as `--organization` and `--agent`",
)
AGENT_TWICE = Rule.warning(
    "AGENT-TWICE",
    "An agent has two published submissions on one track.",
    "mark the older submission as superseded, and name its replacement",
)
_SENTENCE_POINT = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A full stop outside a version number."""
_SIGN = re.compile(r"[^\w.+]|_")
"""A character that spellings of a name may differ in; a plus sign is part of the name."""

NameKey = Literal["name", "organization"]
"""A key of `[agent]` in a manifest that is checked for similar names."""


def skeleton(text: str) -> str:
    """Return a text in which one letter represents all letters that look similar to it.

    `CIaude` and `Claude` get the same skeleton. Unlike in UTS #39, the result has composed accents,
    which makes no difference to whether two texts have the same skeleton.
    """
    plain = unicodedata.normalize("NFD", text)
    # A letter may be replaced by several letters, any of which may have a replacement itself.
    for _ in range(2):
        plain = plain.translate(_prototypes())
    return unicodedata.normalize("NFC", plain)


@cache
def _prototypes() -> Mapping[int, str]:
    """Return the replacement of each letter, by its code point.

    The table lists similar letters in both directions, and does not state which letter is the
    replacement. The replacement is a letter that is listed with several others, or a sequence of
    letters; of two letters that are listed only with each other, the one with the smaller code
    point is the replacement.

    For example, `l` is listed with `I`, `1` and others, and each of these with `l`, so `l` replaces
    all of them. `rn` is a sequence of letters, so it replaces `m`.

    Raises:
        FileNotFoundError: The installed package does not have the table.
    """
    data = pkgutil.get_data("homoglyphs_fork", "confusables.json")
    if data is None:
        message = "homoglyphs_fork has no confusables.json"
        raise FileNotFoundError(message)
    # The table contains direction marks around letters of right-to-left scripts, but no name does.
    similar: Mapping[str, list[str]] = json.loads(data.decode().replace("\\u200e", ""))
    prototypes = set()
    for text, alternatives in similar.items():
        if len(text) > 1 or len(alternatives) > 1:
            prototypes.add(text)
    pair_prototypes = set()
    for text, alternatives in similar.items():
        if prototypes.isdisjoint((text, *alternatives)):
            pair_prototypes.add(min(text, *alternatives))
    replacements = {}
    for prototype in prototypes | pair_prototypes:
        for letter in similar.get(prototype, ()):
            if len(letter) == 1:
                replacements[ord(letter)] = prototype
    return replacements


def alias_breaches(benchmark: Benchmark) -> Iterator[Breach]:
    """Yield a breach for each spelling whose canonical name is itself an alias."""
    for spelling, name in benchmark.aliases.items():
        location = ("aliases", spelling)
        if name == spelling:
            yield Breach(location, ALIAS_CHAINED, f"`{spelling}` is an alias of itself")
        elif name in benchmark.aliases:
            next_name = benchmark.aliases[name]
            fact = f"`{spelling}` is an alias of `{name}`, which is an alias of `{next_name}`"
            yield Breach(location, ALIAS_CHAINED, fact)


def roster_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Yield problems of agents that share names, or have several names or submissions.

    If two submissions contradict each other, only the later one has the problem.
    """
    current: dict[str, Bundle] = {}
    for bundle in results.bundles:
        if bundle.submission.status.state == "published":
            current[bundle.id] = bundle
    bundles = [current[name] for name in results.arrivals.sorted(current)]
    # There are few groups of similar names, but the other problems may occur for every bundle.
    yield from _similar_names(results, bundles)
    yield from _similar_organizations(results, bundles)
    yield from limited(_contradictory_agents(results, bundles))
    yield from limited(_repeated_agents(results, bundles))


def _similar_names(results: BenchmarkResults, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield problems with agent names that are too similar to belong to different agents."""
    first_bundles: dict[str, Bundle] = {}
    for bundle in bundles:
        name = results.benchmark.agent_name(bundle.submission.agent.name)
        first_bundles.setdefault(name, bundle)
    names: list[str] = []
    for table in results.reported:
        names += [results.benchmark.agent_name(row.name) for row in table.rows]
    groups = _similar_groups([*names, *first_bundles], distinguish=str)
    return _similarity_problems(results, "name", groups, first_bundles)


def _similar_organizations(
    results: BenchmarkResults, bundles: Sequence[Bundle]
) -> Iterator[Problem]:
    """Yield problems of organizations with similar names, apart from case and punctuation."""
    first_bundles: dict[str, Bundle] = {}
    for bundle in bundles:
        first_bundles.setdefault(bundle.submission.agent.organization or "", bundle)
    names: list[str] = []
    for table in results.reported:
        names += [row.organization or "" for row in table.rows]
    groups = _similar_groups([*names, *first_bundles], distinguish=_fold)
    return _similarity_problems(results, "organization", groups, first_bundles)


def _similarity_problems(
    results: BenchmarkResults,
    key: NameKey,
    groups: Iterable[frozenset[str]],
    first_bundles: Mapping[str, Bundle],
) -> Iterator[Problem]:
    """Yield the problem of each group of similar names, for the later bundles.

    Args:
        results: The results of the benchmark.
        key: The key of the names in the manifest.
        groups: Groups of similar names.
        first_bundles: The first bundle with each name; names in reported tables have no bundle.
    """
    for names in groups:
        bundles: dict[str, Bundle] = {}
        for name in names:
            if name in first_bundles:
                bundles[first_bundles[name].id] = first_bundles[name]
        quoted_names = " and ".join(f"`{name}`" for name in sorted(names))
        fact = f"{quoted_names} differ only in case, spaces, accents or punctuation"
        has_table_name = len(bundles) < len(names)
        for bundle in bundles.values():
            if has_table_name or results.arrivals.elder(bundle.id, bundles):
                yield broken_in(bundle.path / MANIFEST_FILE, NAMES_ALIKE, ("agent", key), fact)
        if not bundles:
            yield NAMES_ALIKE.broken(results.path / DEFINITION_FILE, None, fact)


def _contradictory_agents(
    results: BenchmarkResults, bundles: Sequence[Bundle]
) -> Iterator[Problem]:
    """Yield problems of later bundles whose agent name had another model or organization."""
    values_by_agent: dict[tuple[str, str], dict[str, tuple[Bundle, str]]] = defaultdict(dict)
    for bundle in bundles:
        agent = bundle.submission.agent
        name = results.benchmark.agent_name(agent.name)
        for key, value in (("organization", agent.organization), ("model", agent.model)):
            if value:
                own_name = value.rpartition("/")[2]  # The name of a model, without its provider
                values_by_agent[name, key].setdefault(_fold(own_name), (bundle, value))
    for (name, key), first_values in values_by_agent.items():
        values = {bundle.id: value for bundle, value in first_values.values()}
        bundles_by_id = {bundle.id: bundle for bundle, _ in first_values.values()}
        for bundle, value in first_values.values():
            elder = results.arrivals.elder(bundle.id, values)
            if elder and not _is_revision(bundle, bundles_by_id[elder]):
                elder_value = values[elder]
                remark = results.arrivals.remark(bundle.id, elder)
                fact = f"the {key} of `{name}` is `{value}`, but `{elder_value}` in {elder}{remark}"
                path = bundle.path / MANIFEST_FILE
                yield broken_in(path, AGENT_CONTRADICTED, ("agent", key), fact)


def _repeated_agents(results: BenchmarkResults, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield problems of agents with two bundles on a track, except for maintainers' reruns."""
    reruns = {finding.rerun for finding in results.findings if finding.kind == "reproduction"}
    bundles_by_row: dict[tuple[str, ...], dict[str, Bundle]] = defaultdict(dict)
    for bundle in bundles:
        if bundle.id not in reruns:
            row_key = results.benchmark.row_of(bundle.submission)
            bundles_by_row[row_key][bundle.id] = bundle
    for (track, name, *_), same_row in bundles_by_row.items():
        for bundle in same_row.values():
            elder = results.arrivals.elder(bundle.id, same_row)
            if elder and not _is_revision(bundle, same_row[elder]):
                remark = results.arrivals.remark(bundle.id, elder)
                article = "another" if remark else "an older"
                fact = f"`{name}` has {article} submission on {track}, {elder}{remark}"
                path = bundle.path / MANIFEST_FILE
                fix = _way_on(results.benchmark.id, bundle, same_row[elder])
                yield broken_in(path, AGENT_TWICE, ("agent", "name"), fact, fix)


def _way_on(benchmark: str, bundle: Bundle, elder: Bundle) -> str:
    """Return the command that leaves an agent with one submission instead of two."""
    address = f"{benchmark}/{elder.submission.track}/{elder.id}"
    if adds_missing_tasks(bundle, elder):
        return (
            f"remove {bundle.id}, and add its tasks to the older submission with "
            f"`sitegen replace-rounds {address} RUNS --reason TEXT`"
        )
    return f"replace the older submission with `sitegen supersede {address} --by {bundle.id}`"


def _is_revision(bundle: Bundle, other: Bundle) -> bool:
    """Return whether one of two bundles revises the other, which REVISION-PENDING reports.

    Both directions count: a correction often has the same date as the corrected submission, so the
    older of the two is not known.
    """
    return revises(bundle, other.id) or revises(other, bundle.id)


def _similar_groups(
    names: Iterable[str], distinguish: Callable[[str], str]
) -> list[frozenset[str]]:
    """Return the groups of names that read alike.

    Groups may overlap: one group may contain two names that differ only in case, and another group
    the same two names and a third one that looks like them. Later names are then reported for both
    groups.
    """
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in filter(None, names):
        groups["spelling", _fold(name)].add(name)
        groups["appearance", _appearance(name)].add(name)
    similar: dict[frozenset[str], None] = {}  # An ordered set
    for (_, reduced_name), group in groups.items():
        if reduced_name and len(set(map(distinguish, group))) > 1:
            similar[frozenset(group)] = None
    return list(similar)


def _appearance(name: str) -> str:
    """Return the visible form of a name, without case, accents and punctuation."""
    text = skeleton(_SENTENCE_POINT.sub("", name))
    return _SIGN.sub("", _without_accents(text)).casefold()


def _without_accents(text: str) -> str:
    """Return a text without accents on its letters: `Claud\u0117` becomes `Claude`."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def _fold(name: str) -> str:
    """Return a name without case, blanks and punctuation."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _SIGN.sub("", _SENTENCE_POINT.sub("", folded))
