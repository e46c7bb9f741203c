"""Bundles with long lists of failed cases are read by several processes."""

from kit.results_folders import MANIFEST, ROUNDS, Tree, json_lines, seal

FAILED = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4", "requirement": "R1", "reason": "no " * 60}
LONG = 12_000
"""So many failed cases are two megabytes and a half."""


def test_bundles_read_side_by_side_are_whole_and_in_order(tree: Tree) -> None:
    tree.write("failures.jsonl", json_lines(*({**FAILED, "case": f"c{number}"} for number in range(LONG))))
    other_bundle = tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1"))
    (other_bundle / "failures.jsonl").write_text(
        json_lines(*[{**FAILED, "reason": "yes"}] * LONG * 2), encoding="utf-8"
    )
    seal(other_bundle)
    first, second = tree.read().benchmarks[0].bundles
    assert [first.id, second.id] == [tree.bundle.name, "other"]
    assert first.rounds == second.rounds
    assert len(first.failures.of_task("tidy")) == LONG
    assert [problem.code for problem in first.problems] == ["DETAIL-EXCESS"]
    assert [problem.code for problem in second.problems] == ["DETAIL-EXCESS", "FAILURE-TWICE"]
