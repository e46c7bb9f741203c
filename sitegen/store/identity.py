"""What must hold for the names of agents: one name is one agent, and one agent has one name."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import Problem, Rule
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.reported import ReportedTable
from sitegen.models.results import Bundle
from sitegen.models.submission import Submission
from sitegen.store import identity_rules as rules
from sitegen.store.definitions import DEFINITION
from sitegen.store.parts import MANIFEST
from sitegen.store.repeats import limited
from sitegen.store.toml import read_toml

_NEITHER = re.compile(r"(?<!\d)\.|\.(?!\d)|[^\w.+]|_")
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
    """Who is published on a benchmark."""

    folder: Path
    benchmark: Benchmark
    bundles: Sequence[Bundle]
    """Those that stand, the oldest first."""

    @classmethod
    def of(cls, folder: Path, benchmark: Benchmark, bundles: Collection[Bundle]) -> "Roster":
        """List the bundles that stand."""
        standing = [bundle for bundle in bundles if bundle.submission.status.state == "published"]
        return cls(folder, benchmark, sorted(standing, key=lambda each: (each.submission.date, each.id)))

    def name(self, bundle: Bundle) -> str:
        """Give the one name of a bundle's agent."""
        return self.benchmark.agent_name(bundle.submission.agent.name)

    def problems(self, reported: Collection[ReportedTable], findings: Collection[Finding]) -> Iterator[Problem]:
        """Say which names stand for several agents, and which agents have several names or rows.

        Args:
            reported: The benchmark's published tables.
            findings: Its findings; a reproduction is no second row.
        """
        yield from self._alike(reported)
        yield from limited(self._contradicted())
        yield from limited(self._repeated({finding.rerun for finding in findings if finding.kind == "reproduction"}))

    def _alike(self, reported: Collection[ReportedTable]) -> Iterator[Problem]:
        """Names that are hardly two, told at the newest bundle that has one of them."""
        last = {self.name(bundle): bundle for bundle in self.bundles}
        printed = [self.benchmark.agent_name(row.name) for table in reported for row in table.rows]
        for names in _likenesses([*printed, *last]):
            what = f"{' and '.join(f'`{name}`' for name in sorted(names))} are hardly two names"
            yield self._alike_problem([bundle for name, bundle in last.items() if name in names], what)

    def _alike_problem(self, bearers: Sequence[Bundle], what: str) -> Problem:
        if bearers:
            return self._broken(rules.NAMES_ALIKE, max(bearers, key=self.bundles.index), "name", what)
        return rules.NAMES_ALIKE.broken(self.folder / DEFINITION, None, what)

    def _contradicted(self) -> Iterator[Problem]:
        """Names that stand for another model, or another organization's, in an older bundle."""
        first: dict[tuple[str, str], tuple[str, Bundle]] = {}
        for bundle in self.bundles:
            agent = bundle.submission.agent
            for key, value in (("organization", agent.organization), ("model", agent.model)):
                known, older = first.setdefault((self.name(bundle), key), (value, bundle)) if value else ("", bundle)
                if value and _folded(_own(value)) != _folded(_own(known)):
                    what = f"the {key} of `{self.name(bundle)}` is `{value}`, but `{known}` in {older.id}"
                    yield self._broken(rules.AGENT_CONTRADICTED, bundle, key, what)

    def _repeated(self, reruns: Collection[str | None]) -> Iterator[Problem]:
        """Agents that have an older bundle on the same track."""
        seen: dict[tuple[str, ...], Bundle] = {}
        for bundle in (each for each in self.bundles if each.id not in reruns):
            agent = bundle.submission.agent
            key = (bundle.submission.track, self.name(bundle), agent.scaffold or "", agent.reasoning or "")
            older = seen.setdefault(key, bundle)
            if older is not bundle:
                what = f"`{self.name(bundle)}` has an older submission on {bundle.submission.track}, {older.id}"
                yield self._broken(rules.AGENT_TWICE, bundle, "name", what)

    def _broken(self, rule: Rule, bundle: Bundle, key: str, what: str) -> Problem:
        path = bundle.path / MANIFEST
        places = read_toml(path, Submission).places  # read again: hardly any name is at fault
        return rule.broken(path, places.line_of(("agent", key)), what)


def _likenesses(names: Iterable[str]) -> Iterator[Sequence[str]]:
    """Give the names that differ in nothing that matters, several at a time."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        groups[_folded(name)].append(name)
    yield from (group for folded, group in groups.items() if folded and len(group) > 1)


def _own(name: str) -> str:
    """Give a model's own name, without the provider that it was asked from."""
    return name.rpartition("/")[2]


def _folded(name: str) -> str:
    """Give what is left of a name where case, blanks and punctuation are no matter."""
    return _NEITHER.sub("", unicodedata.normalize("NFKC", name).casefold())
