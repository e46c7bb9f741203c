/** Comparing rows: what an address asks for, and what the file says of pairs and rounds. */

import assert from "node:assert/strict";
import test from "node:test";

import {
  attemptsLevel, bestFirst, between, decidedByOneCase, favoured, marksOn, pairAt, pairsOf, pointsOf, readChoice, roundsOf, slotsFor, withRow, withSlot, writeChoice,
} from "../../site_src/assets/scripts/compare-facts.js";

const KNOWN = new Set(["x", "y", "z", "w"]);

/** Three rows of one score; the third is only reported. @type {import("../../site_src/assets/scripts/compare-facts.js").ComparisonFile} */
const FILE = {
  metrics: [{ id: "score", direction: "higher", decimals: 1, interval: "95 % interval" }, { id: "time", direction: "lower", decimals: 0, interval: "approximate interval" }],
  findings: {
    a: { word: "likely ahead", reason: "apart" },
    b: { word: "likely behind", reason: "apart" },
    c: { word: "cannot tell", reason: "holds 0" },
    A: { word: "ahead", reason: "shown" },
    B: { word: "behind", reason: "shown" },
    r: { word: "cannot tell", reason: "only reported" },
  },
  attempts: [1, 4],
  tasks: [{ id: "one", title: "One", rounds: [1, 2, 3] }, { id: "two", title: "Two", rounds: [1, 2] }],
  rows: [
    { id: "x", name: "X", status: "published", evidence: "complete", has_runs: true, rounds: ["ppfpm", "pppnp"], points: [10.5, 25], single: [[2, 30, "c1", null]] },
    { id: "y", name: "Y", status: "published", evidence: "complete", has_runs: true, rounds: ["fpunp"], points: [15, 0], single: [[0, 12, "c7", "off by one"], [4, 40, null, null]] },
    { id: "z", name: "Z", status: "published", evidence: "reported", has_runs: true, rounds: [], points: [], single: [] },
  ],
  marks: [
    { id: "clock", title: "It reads the clock", rows: [], rounds: { one: [2] } },
    { id: "leak", title: "Y read the cases", rows: ["y"], rounds: { one: [2, 3], two: [1] } },
  ],
  pairs: {
    standing: "arr",
    on_board: "Arr",
    differences: {
      score: { standing: "arr", value: [20.5, null, null], low: [3, null, null], high: [31.2, null, null], p: [0.0004, null, null], tasks: [18, null, null] },
      time: { standing: "brr", value: [0, null, null], low: [-4, null, null], high: [12, null, null], p: [1, null, null], tasks: [null, null, null] },
    },
    rounds: { both: [1, null, null], only_first: [2, null, null], only_second: [0, null, null], neither: [1, null, null] },
  },
};

/** @param {import("../../site_src/assets/scripts/compare-facts.js").Facts} facts @param {string} metric */
const told = ({ differences }, metric) => [differences.get(metric)?.text, differences.get(metric)?.bounds];

test("a finding marks the rounds that it names, of the rows that it names or of all", () => {
  const ids = (/** @type {[string, string, number]} */ ...where) => marksOn(FILE, ...where).map(({ id }) => id);
  assert.deepEqual(ids("x", "one", 2), ["clock"]);
  assert.deepEqual(ids("y", "one", 2), ["clock", "leak"]);
  assert.deepEqual([ids("x", "one", 3), ids("x", "two", 1), ids("y", "two", 1)], [[], [], ["leak"]]);
});

test("an address names the rows, in any of four places", () => {
  const choice = readChoice("?a=x&c=y", KNOWN);
  assert.deepEqual(choice, { ids: ["x", "y"], all: false, unknown: [], again: [] });
});

test("what the board does not have is told, and so is what is asked for twice", () => {
  const { ids, unknown, again } = readChoice("?a=x&b=gone&c=x&d=y", KNOWN);
  assert.deepEqual([ids, unknown, again], [["x", "y"], ["gone"], ["x"]]);
});

test("a choice that was written is read again, and others' parameters stay", () => {
  const search = writeChoice(["y", "x"], true, "?a=old&d=old&lang=en");
  assert.equal(search, "?lang=en&a=y&b=x&rounds=all");
  assert.deepEqual(readChoice(search, KNOWN), { ids: ["y", "x"], all: true, unknown: [], again: [] });
  assert.equal(writeChoice([], false, "?a=x&rounds=all"), "");
});

test("a slot takes a row, gives it up, and leaves no hole", () => {
  assert.deepEqual(withSlot(["x", "y"], 0, "z"), ["z", "y"]);
  assert.deepEqual(withSlot(["x", "y", "z"], 1, ""), ["x", "z"]);
  assert.deepEqual(withSlot(["x", "y"], 2, "z"), ["x", "y", "z"]);
  assert.deepEqual(withSlot(["x", "y"], 1, "x"), ["x"]);
});

test("four rows are the most", () => {
  assert.deepEqual(withRow(["x", "y", "z", "w"], "v", true), ["x", "y", "z", "w"]);
  assert.deepEqual(withRow(["x", "y"], "x", false), ["y"]);
  assert.deepEqual([0, 1, 2, 3, 4].map(slotsFor), [2, 2, 3, 4, 4]);
});

test("every pair has a place of its own, in order", () => {
  const places = pairsOf([0, 1, 2, 3, 4]).map(([first, second]) => pairAt(5, first, second));
  assert.deepEqual(places, [...places.keys()]);
});

test("two rows that change places turn words, signs and counts", () => {
  const [ahead, behind] = [between(FILE, "x", "y"), between(FILE, "y", "x")];
  assert.deepEqual([ahead.word, behind.word], ["likely ahead", "likely behind"]);
  assert.deepEqual(told(ahead, "score"), ["+20.5", "3.0 to 31.2"]);
  assert.deepEqual(told(behind, "score"), ["−20.5", "−31.2 to −3.0"]);
  assert.deepEqual(told(behind, "time"), ["0", "−12 to 4"]);
  assert.deepEqual([ahead.counts?.onlyFirst, behind.counts?.onlyFirst, behind.counts?.onlySecond], [2, 0, 2]);
});

test("a pair without a difference has its reason", () => {
  const found = between(FILE, "z", "x");
  assert.deepEqual([found.word, found.reason, found.counts], ["cannot tell", "only reported", null]);
  assert.deepEqual(told(found, "score"), ["", ""]);
});

test("rows come best first", () => {
  assert.deepEqual(bestFirst(FILE, ["z", "y", "x"]), ["x", "y", "z"]);
});

test("rounds differ where one passed and another did not; one without a verdict tells nothing", () => {
  const [one, two] = roundsOf(FILE, ["x", "y"]);
  assert.deepEqual(one.rounds.map(({ letters, differs }) => [letters.join(""), differs]), [["pf", true], ["pp", false], ["fu", false]]);
  assert.deepEqual(two.rounds.map(({ differs }) => differs), [true, false]);
  assert.deepEqual([one.differing, one.passed, two.passed], [1, ["2 of 3", "1 of 3"], ["1 of 2", "1 of 2"]]);
});

test("a round that is left out does not count", () => {
  const rows = [{ ...FILE.rows[0], rounds: ["pxfpx"] }, FILE.rows[1]];
  const [one, two] = roundsOf({ ...FILE, rows }, ["x", "y"]);
  assert.deepEqual([one.passed[0], two.passed[0]], ["1 of 2", "1 of 1"]);
  assert.equal(one.rounds[1].differs, false);
});

test("rounds are compared on as many attempts as all made", () => {
  assert.equal(attemptsLevel(FILE, ["x", "y"]), 0);
  assert.equal(attemptsLevel(FILE, ["x"]), 1);
});

test("a pair has one word alone, and one as one of all pairs", () => {
  const [ahead, behind] = [between(FILE, "x", "y"), between(FILE, "y", "x")];
  assert.deepEqual([ahead.word, ahead.onBoard], ["likely ahead", "ahead"]);
  assert.deepEqual([behind.word, behind.onBoard], ["likely behind", "behind"]);
});

test("the verdict is what all pairs show, else what this pair alone makes likely", () => {
  assert.deepEqual([between(FILE, "x", "y").verdict, between(FILE, "y", "x").verdict], ["ahead", "behind"]);
  const pairs = { ...FILE.pairs, on_board: "rrr" };
  assert.equal(between({ ...FILE, pairs }, "x", "y").verdict, "likely ahead");
});

test("two rows that change places keep their p value and how many tasks would tell", () => {
  for (const found of [between(FILE, "x", "y"), between(FILE, "y", "x")]) {
    assert.deepEqual([found.differences.get("score")?.p, found.differences.get("score")?.tasks], ["< 0.001", 18]);
    assert.deepEqual(["score", "time"].map((id) => found.differences.get(id)?.interval), ["95 % interval", "approximate interval"]);
  }
});

test("a small chance is not written as none", () => {
  const chances = [0.0004, 0.001, 0.109375, 1, null].map((p) => {
    const score = { ...FILE.pairs.differences.score, p: [p, null, null] };
    const differences = { ...FILE.pairs.differences, score };
    return between({ ...FILE, pairs: { ...FILE.pairs, differences } }, "x", "y").differences.get("score")?.p;
  });
  assert.deepEqual(chances, ["< 0.001", "0.001", "0.109", "1.000", ""]);
});

test("what tasks add to a difference comes from most for the first to most for the second, and adds up", () => {
  const told = (/** @type {string} */ first, /** @type {string} */ second) => pointsOf(FILE, first, second).map(({ line, points }) => [line.task.id, points]);
  assert.deepEqual(told("x", "y"), [["two", 25], ["one", -4.5]]);
  assert.deepEqual(told("y", "x"), [["one", 4.5], ["two", -25]]);
  const sum = pointsOf(FILE, "x", "y").reduce((all, { points }) => all + points, 0);
  assert.equal(`+${sum.toFixed(1)}`, between(FILE, "x", "y").differences.get("score")?.text);
});

test("a task is in favour of the row with more, or with less where less is better", () => {
  assert.deepEqual([2, -2, 0].map((points) => favoured(FILE, points)), ["a", "b", "a"]);
  const lower = { ...FILE, metrics: [{ ...FILE.metrics[0], direction: "lower" }] };
  assert.deepEqual([2, -2, 0].map((points) => favoured(lower, points)), ["b", "a", "a"]);
});

test("a row that is only reported, and a task that does not count, have no points", () => {
  assert.deepEqual(pointsOf(FILE, "x", "z"), []);
  const rows = [{ ...FILE.rows[0], points: [null, 25] }, { ...FILE.rows[1], points: [null, 0] }, FILE.rows[2]];
  assert.deepEqual(pointsOf({ ...FILE, rows }, "x", "y").map(({ points }) => points), [25]);
});

test("rounds that one passed and the other failed by one case come with most cases first, whoever is named first", () => {
  const told = (/** @type {string} */ first, /** @type {string} */ second) =>
    decidedByOneCase(FILE, first, second).map(({ task, number, by, failedBy, ran, name, why }) => [task.id, number, by, failedBy, ran, name, why]);
  const rounds = [["one", 1, "x", "y", 12, "c7", "off by one"]];
  assert.deepEqual([told("x", "y"), told("y", "x"), told("x", "z")], [rounds, rounds, []]);
  const rows = [{ ...FILE.rows[0], rounds: ["ppfpp"] }, FILE.rows[1]];
  const both = decidedByOneCase({ ...FILE, rows }, "y", "x").map(({ ran, name }) => [ran, name]);
  assert.deepEqual(both, [[40, null], [12, "c7"]]);
});
