"""What the evaluation says of one instance: whether it is resolved, and the tests that it had to pass."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.cases import CaseLists, CaseRecord, by_category, told_apart
from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.rounds import Run, Source
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.importers.kit.told import Told
from sitegen.importers.kit.tree import digest_of
from sitegen.models.outcome import Failure
from sitegen.models.task import Case
from sitegen.problems import Rule, listed
from sitegen.reading.files import read_head
from sitegen.reading.json import read_json

INFRASTRUCTURE = Rule.warning(
    "SWEBENCH-INFRASTRUCTURE",
    "No instance fails because of the machinery.",
    "evaluate these instances again",
    "The evaluation says that the machinery failed, not the patch: {}.",
)
STALE = Rule.warning(
    "SWEBENCH-STALE-REPORT",
    "An instance without a patch has no report.",
    "nothing needs to be done: reports of an earlier run are not counted",
)
FEWER = Rule.warning(
    "SWEBENCH-FEWER",
    "A submission is over all instances of its split.",
    "evaluate all of them: scores over a part do not compare with others",
    "The submission is over a part of its split: {}.",
)
UNCHECKED = Rule.warning(
    "SWEBENCH-UNCHECKED",
    "The leaderboard's maintainers ran a submission again.",
    "nothing needs to be done: readers are told",
    "The leaderboard's maintainers have not checked this submission.",
)
NO_LOGS = Rule.warning(
    "SWEBENCH-NO-LOGS",
    "A submission has the reports of its instances.",
    "fetch the logs from where the leaderboard keeps them, and import again",
    "There are no reports: which instances are resolved is known, and no test.",
)
TESTS_TWICE = Rule.warning(
    "SWEBENCH-TESTS-TWICE",
    "A report names a test once.",
    "look whether the instance's own list names it twice; each counts as a case",
    "Tests that their report names more than once: {}.",
)
TESTS_DIFFER = Rule.warning(
    "SWEBENCH-TESTS-DIFFER",
    "An instance has the same tests in every report.",
    "look whether all were evaluated on one version of the dataset",
    "Others were graded on other tests of these instances: {}.",
)

CATEGORIES = ("FAIL_TO_PASS", "PASS_TO_PASS")
"""Tests that the patch has to mend, and those that it may not break."""

_KINDS = {
    b"Patch Apply Failed": "the patch could not be applied",
    b"timed out": "the tests took too long",
    b"Tests Timed Out": "the tests took too long",
    b"BuildImageError": "the image could not be built",
}
_REPOSITORY = re.compile(r"(?P<owner>.+?)__(?P<name>.+)-\d+")
_LOOKED_AT = 1024 * 1024


class _Tests(Told):
    success: list[str]
    failure: list[str]


class _Instance(Told):
    resolved: bool
    infra_failure: bool | None = None
    tests_status: dict[str, _Tests] | None = None

    def tests(self) -> Iterator[tuple[str, str, bool]]:
        """Each test that counts: its category, its name, and whether it passed, the same in every run."""
        for category in CATEGORIES:
            told = (self.tests_status or {}).get(category)
            if told:
                both = [*((name, True) for name in told.success), *((name, False) for name in told.failure)]
                yield from ((category, name, passed) for name, passed in sorted(both))


@dataclass(slots=True)
class Reader:
    """Reads reports, and keeps the tests of all instances."""

    source: Source
    lists: CaseLists = field(default_factory=CaseLists)

    def read(self, path: Path, run: Run, instance: str, *, resolved: bool) -> None:
        """Take what came of an instance that is said to be resolved or not; a report that says otherwise is told."""
        report, before = self.source.report, len(self.source.report.problems)
        told = (report.take(read_json(path, dict[str, _Instance])) or {}).get(instance)
        if told is None:
            if len(report.problems) == before:
                report.add(SOURCE_BROKEN, path, f"it says nothing of {instance}")
            return
        tests = list(told.tests())
        passed = [ok for *_, ok in tests]
        if told.resolved != resolved or (bool(tests) and all(passed)) != resolved:
            said = (
                f"`resolved` is {str(told.resolved).lower()} in it, and {sum(passed)} of its {len(tests)} tests passed"
            )
            report.add(SOURCE_BROKEN, path, f"{instance} is listed as {'' if resolved else 'not '}resolved; {said}")
            return
        if told.tests_status is None:
            cause = "the machinery failed" if told.infra_failure else "no test could be read from the output"
            run.grade(instance, 1, 0, cause, "no_cases", grader_digest=digest_of([path]))
            return
        if lacking := [each for each in CATEGORIES if each not in told.tests_status]:
            report.add(SOURCE_BROKEN, path, f"`tests_status` of {instance} lacks {listed(lacking)}")
        names = Counter((category, name) for category, name, _ in tests)
        if twice := [name for (_, name), times in names.items() if times > 1]:
            report.doubt(TESTS_TWICE, path, run.spot(instance), listed(map(redacted, twice)))
        records = told_apart([CaseRecord(Case(redacted(name), kind), "p" if ok else "f") for kind, name, ok in tests])
        run.grade(
            instance,
            1,
            float(resolved),
            passed=sum(passed),
            total=len(tests),
            outcomes="".join(each.outcome for each in records),
            case_ids=self.lists.add((instance, 1), records),
            by_category=by_category((kind, ok) for kind, _, ok in tests),
            grader_digest=digest_of([path]),
        )
        failed = [each.case for each in records if each.outcome == "f"]
        run.failures += [Failure(instance, 1, 1, case.id, category=case.category) for case in failed]

    def settle(self, run: Run) -> None:
        """Add a run, with the cases that most runs of an instance list; and what an instance's name tells."""
        self.source.runs.append(run)
        for instance in {*run.planned, *(task for task, *_ in run.results)}:
            place = instance, 1
            usual = self.lists.usual(place)
            if usual:
                self.source.cases[place] = tuple(self.lists.facts[place][name] for name in usual)
            found = run.results.get((*place, 1, "own"))
            if found and found.case_ids not in {None, usual}:
                self.source.report.doubt(TESTS_DIFFER, run.path, run.spot(instance))
            if repository := repository_of(instance):
                self.source.labels[instance]["repository"] = repository


def repository_of(instance: str) -> str | None:
    """The repository that an instance is of, where its id tells it."""
    match = _REPOSITORY.fullmatch(instance)
    return f"{match['owner']}/{match['name']}" if match else None


def why(log: Path) -> str:
    """Why an instance came to no report, as its log tells the kind."""
    head = read_head(log, _LOOKED_AT) or b""
    return next((words for mark, words in _KINDS.items() if mark in head), "the evaluation came to no report")
