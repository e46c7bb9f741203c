// @ts-check
/** Cases that pages have no room for, as the file of their round tells of them. */
import assert from "node:assert/strict";
import test from "node:test";

import { agentsOf, casesOf } from "../../site_src/assets/scripts/outcomes.js";


/** @type {import("../../site_src/assets/scripts/outcomes.js").Outcomes} */
const FILE = {
  letters: { p: "passed", f: "failed", e: "error", s: "skipped" },
  suites: [["reads", "writes"], ["writes"]],
  rows: { x: [[1, 0, "pf"], [2, 1, "p"]], y: [[1, null, "fp"]] },
};

test("a run's cases have the names of the suite that ran, and those that failed come first", () => {
  assert.deepEqual(casesOf(FILE, "x", 1), [{ name: "writes", status: "failed" }, { name: "reads", status: "passed" }]);
  assert.deepEqual(casesOf(FILE, "x", 2), [{ name: "writes", status: "passed" }]);
});

test("cases without names go by their places", () => {
  assert.deepEqual(casesOf(FILE, "y", 1), [{ name: "case-1", status: "failed" }, { name: "case-2", status: "passed" }]);
  assert.deepEqual(agentsOf(FILE, "case-1"), [{ id: "y", passed: 0, of: 1, worst: "failed" }]);
});

test("what did not run is no case", () => {
  assert.deepEqual(casesOf(FILE, "x", 3), []);
  assert.deepEqual(casesOf(FILE, "z", 1), []);
  assert.deepEqual(agentsOf(FILE, "nothing"), []);
});

test("a case is told of every agent that has it, over its attempts", () => {
  assert.deepEqual(agentsOf(FILE, "writes"), [{ id: "x", passed: 1, of: 2, worst: "failed" }]);
});
