"""Releases that came since an earlier state: what they say is what the boards are."""

import math
from collections.abc import Collection, Iterator
from datetime import date as Date  # noqa: N812 - as in the models

from sitegen.models.release import Release
from sitegen.pipeline.judging import Judged
from sitegen.pipeline.releasing import release_now
from sitegen.problems import Problem, errors_of
from sitegen.store.dates import FIRST, ZONES
from sitegen.store.definitions import RELEASES
from sitegen.store.history_rules import HISTORY_RELEASE

_PASSED_OVER = {"first", "last", "formerly"}
"""What hangs on thousands of draws, which another machine may sum up otherwise in the last digit; and what no release
has written."""
_CLOSE = 1e-4

_FIX = "write it with `sitegen release`, on the day, and in a commit that changes no results after it"


def new_release_problems(judged: Judged, known: Collection[Date], day: Date) -> Iterator[Problem]:
    """Say which new releases lie ahead or behind others, or are not what `sitegen release` would write.

    Args:
        judged: The later state, a whole results folder.
        known: Days of the releases of the earlier state.
        day: Today.
    """
    new = [release for release in judged.results.releases if release.date not in known]
    is_sound = not errors_of(judged.problems()) if new else True  # else there is nothing to compare with
    for release in new:
        path = judged.results.path / RELEASES / f"{release.date}.toml"
        if not FIRST <= release.date <= day + ZONES:
            side = f"is dated before {FIRST}" if release.date < FIRST else "lies ahead"
            yield HISTORY_RELEASE.broken(path, None, f"the release {release.date} is new, and {side}", _FIX)
        later = max((each for each in known if each > release.date), default=None)
        if later:
            what = f"the release {release.date} is new, and there was one of {later} already"
            yield HISTORY_RELEASE.broken(path, None, what, _FIX)
        differing = _differing(release, release_now(judged, release.date, release.title)) if is_sound else []
        if differing:
            told = "; ".join(differing[:3])
            what = f"the release {release.date} is new, and says otherwise than the boards in {len(differing)} places"
            yield HISTORY_RELEASE.broken(path, None, f"{what}: {told}", _FIX)


def _differing(release: Release, now: Release) -> list[str]:
    """Name the places at which a release says something else than the boards."""
    one, other = (dict(_leaves(each.model_dump(exclude={"program"}))) for each in (release, now))
    return [place for place in dict.fromkeys((*one, *other)) if not _is_same(one.get(place), other.get(place))]


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return one == other


def _leaves(document: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Give what stands at each place of a release."""
    parts = _parts(document)
    if parts is None:
        yield place, document
    for key, value in parts or ():
        yield from _leaves(value, f"{place}.{key}".removeprefix("."))


def _parts(document: object) -> list[tuple[str, object]] | None:
    """Give what a value is made of, rows by their ids; None where it is plain."""
    if isinstance(document, dict):
        return [(str(key), value) for key, value in document.items() if key not in _PASSED_OVER]
    if isinstance(document, tuple) and document and isinstance(document[0], dict):
        return [(str(each.get("id", each.get("track", number))), each) for number, each in enumerate(document)]
    return None
