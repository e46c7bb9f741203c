"""What must hold for submissions that no longer stand: which replaces them, since when and why."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sitegen.models.benchmark import Benchmark
from sitegen.models.results import Bundle
from sitegen.models.submission import Status, Submission
from sitegen.problems import Problem, Rule
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store import identity_rules as rules
from sitegen.store.parts import MANIFEST

_NEEDED = {"superseded": ("by",), "withdrawn": ("reason", "date"), "published": ()}
"""What a status has to say."""
_UNFIT = {"superseded": (), "withdrawn": (), "published": ("by", "reason")}
"""What it can't say."""


def status_problems(benchmark: Benchmark, bundles: Mapping[str, Bundle], there: Collection[str]) -> Iterator[Problem]:
    """Say what is wrong with the status of bundles.

    Args:
        benchmark: Their benchmark.
        bundles: Those that can be read, by name.
        there: Names of all that are there.
    """
    succession = _Succession(benchmark, bundles, there)
    for bundle in bundles.values():
        path = bundle.path / MANIFEST
        for key, rule, what, fix in (*_own_breaches(bundle.submission), *succession.breaches(bundle)):
            places = read_toml(path, Submission).places  # read again: hardly any status is at fault
            yield rule.broken(path, places.line_of(("status", key)), what, fix)


Breach = tuple[str, Rule, str, str | None]
"""The key at fault, the rule that it breaks, the fact, and what to do about it."""


def _own_breaches(submission: Submission) -> Iterator[Breach]:
    status = submission.status
    for key in _NEEDED[status.state]:
        if not _is_told(status, key):
            what = f'the state is "{status.state}", but `{key}` is missing'
            yield key, rules.STATUS_INCOMPLETE, what, f"add `{key}` to `[status]`"
    for key in _UNFIT[status.state]:
        if _is_told(status, key):
            yield key, rules.STATUS_CONTRADICTED, f'`{key}` stands here, but the state is "{status.state}"', None
    if status.date and status.date < submission.date:
        what = f"{status.state} on {status.date}, but the results are of {submission.date}"
        yield "date", rules.STATUS_EARLY, what, None


def _is_told(status: Status, key: str) -> bool:
    value = getattr(status, key)
    return bool(value.strip() if isinstance(value, str) else value)


@dataclass(frozen=True, slots=True)
class _Succession:
    """Which bundle replaces which."""

    benchmark: Benchmark
    bundles: Mapping[str, Bundle]
    there: Collection[str]

    def breaches(self, bundle: Bundle) -> Iterator[Breach]:
        """Say what is wrong with the bundle that replaces another."""
        by = self._next(bundle)
        if by is None:
            return
        replacement = self.bundles.get(by)
        if by not in self.there:
            what = f"there is no submission `{by}`"
            yield "by", rules.REPLACEMENT_WRONG, what, self._meant(by, bundle)
        elif replacement and not self._may_replace(bundle.submission.track, replacement.submission.track):
            what = f"{by} is on track {replacement.submission.track}, and not on {bundle.submission.track}"
            yield "by", rules.REPLACEMENT_WRONG, what, None
        elif bundle.id == min(circle := self._circle(bundle), default=None):
            what = f"{', '.join(sorted(circle))} replace each other" if len(circle) > 1 else "it replaces itself"
            yield "by", rules.REPLACEMENT_WRONG, what, None

    def _meant(self, by: str, bundle: Bundle) -> str | None:
        """Propose the submission that a name may stand for: the one that was called so, or one called nearly so."""
        names = ((each.old.rpartition("/")[2], each.new.rpartition("/")[2]) for each in self.benchmark.renamed)
        now = dict(names).get(by)
        return f"it is called `{now}` now" if now else suggestion(by, {*self.there} - {bundle.id})

    def _next(self, bundle: Bundle) -> str | None:
        status = bundle.submission.status
        return status.by if status.state == "superseded" and _is_told(status, "by") else None

    def _circle(self, bundle: Bundle) -> list[str]:
        """Follow the replacements of a bundle; give those that lead back to it, none where they end elsewhere."""
        way: list[str] = []
        following: str | None = bundle.id
        while following and following in self.bundles and following not in way:
            way.append(following)
            following = self._next(self.bundles[following])
        return way if following == bundle.id else []

    def _may_replace(self, old: str, new: str) -> bool:
        """Whether results on a track may replace those on another: the same, or one that supersedes it."""
        later = {track.id: track.superseded_by for track in self.benchmark.tracks}
        way: list[str | None] = []
        track: str | None = old
        while track and track not in way:
            way.append(track)
            track = later.get(track)
        return new in way
