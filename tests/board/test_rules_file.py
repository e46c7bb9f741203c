"""The rules are published with vectors, of which the script makes what the program does."""

import json
import subprocess

import pytest
from kit.command import ROOT
from kit.node_tools import node

from sitegen.board.rules import rules_json

SCRIPT = ROOT / "site_src" / "assets" / "scripts" / "recompute.js"
RUN = """
const { scoresOf } = await import(process.argv[1]);
const read = await new Response((await import("node:stream")).Readable.toWeb(process.stdin)).json();
console.log(JSON.stringify(read.vectors.map((each) => scoresOf({ ...each, threshold: read.threshold }))));
"""


def test_the_script_makes_of_each_vector_what_the_program_does() -> None:
    rules = json.dumps(rules_json([]))
    command = [node(), "--input-type=module", "--eval", RUN, SCRIPT.as_uri()]
    output = subprocess.run(command, input=rules, capture_output=True, text=True, check=True).stdout
    vectors = json.loads(rules)["vectors"]
    assert len(vectors) == 2
    for actual, vector in zip(json.loads(output), vectors, strict=True):
        expected = {name: pytest.approx(value, abs=1e-9) for name, value in vector["values"].items()}
        assert actual == expected, "a metric that can't be declared is a line in SPECIAL of the script"


def test_vectors_are_what_a_hand_works_out() -> None:
    chain, relay = (vector["values"] for vector in json.loads(json.dumps(rules_json([])))["vectors"])
    assert chain["dataset_score"] == pytest.approx(100 * (3 / 4 + 4 / 6) / 2)
    assert relay["mt_at_k"] == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert chain["sr"] == pytest.approx(100 * 3 / 5)
    assert chain["each"] == 0


@pytest.mark.parametrize(("free", "cost_per_round", "net_cost"), [(False, 4.0, 4.0), (True, 2.0, 4.0)])
def test_a_cost_of_0_counts_in_the_script_only_where_the_agent_is_free(
    free: bool,  # noqa: FBT001 - as the file has it
    cost_per_round: float,
    net_cost: float,
) -> None:
    vector = json.loads(json.dumps(rules_json([])))["vectors"][0]
    vector["tasks"] = [{"id": "a", "rounds": [{"n": 1}, {"n": 2}]}]
    scored = {"task": "a", "attempt": 1, "state": "scored", "reward": 1, "output_tokens": 9}
    vector["rounds"] = [{**scored, "round": 1, "cost_usd": 0.0}, {**scored, "round": 2, "cost_usd": 4.0}]
    vector |= {"runs": [], "made": 1, "free": free}
    rules = json.dumps({"threshold": 0.999, "vectors": [vector]})
    command = [node(), "--input-type=module", "--eval", RUN, SCRIPT.as_uri()]
    (actual,) = json.loads(subprocess.run(command, input=rules, capture_output=True, text=True, check=True).stdout)
    assert (actual["cost_per_round"], actual["net_cost"]) == (cost_per_round, net_cost)
