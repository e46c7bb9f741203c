/** Filters of a track's tasks: what is left, and its totals. */

import assert from "node:assert/strict";
import test from "node:test";

import { fits, totals, valuesOf } from "../../site_src/assets/scripts/tasks-page.js";

/** @type {import("../../site_src/assets/scripts/tasks-page.js").TaskLine[]} */
const LINES = [
  { labels: { kind: "web", size: "big" }, tallies: [[2, 2, 1], [0, 2, 0]] },
  { labels: { kind: "data" }, tallies: [[1, 3, 0], [3, 3, 1]] },
];

test("a task is left where it has every label that was chosen", () => {
  const left = (/** @type {Record<string, string>} */ chosen) => LINES.filter(({ labels }) => fits(labels, chosen)).length;
  assert.deepEqual([left({}), left({ kind: "web" }), left({ kind: "data", size: "big" })], [2, 1, 0]);
});

test("totals are those of the tasks that are left", () => {
  assert.deepEqual(totals(LINES), [[3, 5, 1], [3, 5, 1]]);
  assert.deepEqual(totals(LINES.slice(1)), [[1, 3, 0], [3, 3, 1]]);
});

test("an axis offers the values that tasks have, each once and in order", () => {
  assert.deepEqual([valuesOf(LINES, "kind"), valuesOf(LINES, "size")], [["data", "web"], ["big"]]);
});
