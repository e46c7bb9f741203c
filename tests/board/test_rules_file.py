"""The rules are published with vectors, of which the script makes what the program does."""

import json
import subprocess

import pytest
from command import ROOT
from node_tools import node

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
    told = subprocess.run(command, input=rules, capture_output=True, text=True, check=True).stdout
    vectors = json.loads(rules)["vectors"]
    assert len(vectors) == 2
    for found, vector in zip(json.loads(told), vectors, strict=True):
        expected = {name: pytest.approx(value, abs=1e-9) for name, value in vector["values"].items()}
        assert found == expected, "a metric that can't be declared is a line in SPECIAL of the script"


def test_vectors_are_what_a_hand_works_out() -> None:
    chain, relay = (each["values"] for each in json.loads(json.dumps(rules_json([])))["vectors"])
    assert chain["dataset_score"] == pytest.approx(100 * (3 / 4 + 4 / 6) / 2)
    assert relay["mt_at_k"] == pytest.approx(100 * (1 + 2 / 3) / 2)
    assert chain["sr"] == pytest.approx(100 * 3 / 5)
    assert chain["each"] == 0
