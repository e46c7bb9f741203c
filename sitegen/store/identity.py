"""What must hold for the names of agents: one name is one agent, and one agent has one name."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule
from sitegen.reading.repeats import limited
from sitegen.reading.toml import read_toml
from sitegen.store import identity_rules as rules
from sitegen.store.definitions import DEFINITION
from sitegen.store.lookalikes import skeleton
from sitegen.store.parts import MANIFEST

_Naming = Callable[[Bundle], str]

_POINT, _SIGN = re.compile(r"(?<!\d)\.|\.(?!\d)"), re.compile(r"[^\w.+]|_")
"""What two spellings of a name may differ in; the point of a version and a plus are part of it."""


def alias_problems(benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """Give the spellings whose alias is no agent's one name, each with the fact."""
    for spelling, name in benchmark.aliases.items():
        if name == spelling:
            yield spelling, f"`{spelling}` stands for itself"
        elif name in benchmark.aliases:
            further = benchmark.aliases[name]
            yield spelling, f"`{spelling}` stands for `{name}`, which stands for `{further}`"


@dataclass(frozen=True, slots=True)
class Roster:
    """Who is published on a benchmark. What one of two submissions is told of the other, the first one is not."""

    results: BenchmarkResults
    bundles: Mapping[str, Bundle]
    """Those that stand, by their ids, the earliest first."""

    @classmethod
    def of(cls, results: BenchmarkResults) -> "Roster":
        """List the bundles that stand."""
        standing = {each.id: each for each in results.bundles if each.submission.status.state == "published"}
        return cls(results, {name: standing[name] for name in results.arrivals.sorted(standing)})

    def name(self, bundle: Bundle) -> str:
        """Give the one name of a bundle's agent."""
        return self.results.benchmark.agent_name(bundle.submission.agent.name)

    def problems(self) -> Iterator[Problem]:
        """Say which names stand for several agents, and which agents have several names or rows."""
        benchmark = self.results.benchmark
        agents = [row for table in self.results.reported for row in table.rows]
        yield from self._alike("name", self.name, [benchmark.agent_name(row.name) for row in agents], str)
        yield from self._alike("organization", _organization, [row.organization or "" for row in agents], _folded)
        yield from limited(self._contradicted())
        yield from limited(self._repeated())

    def _alike(self, key: str, name: _Naming, printed: Iterable[str], same: Callable[[str], str]) -> Iterator[Problem]:
        """Names that are hardly two, told at the first bundles that have them but the very first of all.

        Args:
            key: What is named.
            name: Gives the name that a bundle has.
            printed: Names that published tables have.
            same: Makes the same of names that may differ as they do.
        """
        first: dict[str, Bundle] = {}
        for bundle in self.bundles.values():
            first.setdefault(name(bundle), bundle)
        for names in _likenesses([*printed, *first], same):
            bearers = {first[each].id: first[each] for each in names if each in first}
            what = f"{' and '.join(f'`{each}`' for each in sorted(names))} are hardly two names"
            for bundle in bearers.values():
                if len(bearers) < len(names) or self.results.arrivals.elder(bundle.id, bearers):
                    yield self._broken(rules.NAMES_ALIKE, bundle, key, what)
            if not bearers:
                yield rules.NAMES_ALIKE.broken(self.results.path / DEFINITION, None, what)

    def _contradicted(self) -> Iterator[Problem]:
        """Names that stand for several models, or organizations, told at the first bundles but the very first."""
        known: dict[tuple[str, str], dict[str, tuple[str, str]]] = defaultdict(dict)
        for bundle in self.bundles.values():
            agent = bundle.submission.agent
            for key, value in (("organization", agent.organization), ("model", agent.model)):
                if value:
                    known[self.name(bundle), key].setdefault(_folded(_own(value)), (bundle.id, value))
        for (name, key), told in known.items():
            values = dict(told.values())
            for each, value in values.items():
                elder = self.results.arrivals.elder(each, values)
                if elder:
                    what = f"the {key} of `{name}` is `{value}`, but `{values[elder]}` in {elder}"
                    what += self.results.arrivals.remark(each, elder)
                    yield self._broken(rules.AGENT_CONTRADICTED, self.bundles[each], key, what)

    def _repeated(self) -> Iterator[Problem]:
        """Agents that have another bundle on the same track, which may have come before; a rerun is none."""
        reruns = {finding.rerun for finding in self.results.findings if finding.kind == "reproduction"}
        rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for bundle in (each for each in self.bundles.values() if each.id not in reruns):
            agent = bundle.submission.agent
            row = bundle.submission.track, self.name(bundle), agent.scaffold or "", agent.reasoning or ""
            rows[row].append(bundle.id)
        for (track, name, *_), bundles in rows.items():
            for each in bundles:
                elder = self.results.arrivals.elder(each, bundles)
                if elder:
                    remark = self.results.arrivals.remark(each, elder)
                    which = "another" if remark else "an older"
                    what = f"`{name}` has {which} submission on {track}, {elder}{remark}"
                    yield self._broken(rules.AGENT_TWICE, self.bundles[each], "name", what)

    def _broken(self, rule: Rule, bundle: Bundle, key: str, what: str) -> Problem:
        path = bundle.path / MANIFEST
        places = read_toml(path, Submission).places  # read again: hardly any name is at fault
        return rule.broken(path, places.line_of(("agent", key)), what)


def _likenesses(names: Iterable[str], same: Callable[[str], str]) -> Iterator[frozenset[str]]:
    """Give the names that differ in nothing that matters, several at a time."""
    groups: dict[tuple[int, str], set[str]] = defaultdict(set)
    for each in names:
        for number, left in enumerate((_folded(each), _seen(each)) if each else ()):
            groups[number, left].add(each)
    found = (frozenset(group) for (_, left), group in groups.items() if left)
    yield from dict.fromkeys(group for group in found if len(set(map(same, group))) > 1)


def _organization(bundle: Bundle) -> str:
    return bundle.submission.agent.organization or ""


def _own(name: str) -> str:
    """Give a model's own name, without the provider that it was asked from."""
    return name.rpartition("/")[2]


def _folded(name: str) -> str:
    """Give what is left of a name where case, blanks and punctuation are no matter."""
    return _SIGN.sub("", _POINT.sub("", unicodedata.normalize("NFKC", name).casefold()))


def _seen(name: str) -> str:
    """Give what is left of a name where letters that look alike are no matter either."""
    return _SIGN.sub("", skeleton(_POINT.sub("", name))).casefold()
