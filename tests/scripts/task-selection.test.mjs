/** Selections of tasks: what addresses say of them is read as the program reads `--tasks`, and written back the same. */

import assert from "node:assert/strict";
import test from "node:test";

import { numberText } from "../../site_src/assets/scripts/board-tasks.js";
import { scoreSelection, scoredColumns } from "../../site_src/assets/scripts/task-board.js";
import { filterText, readFilter, readSelection, readWeight, weightText } from "../../site_src/assets/scripts/task-selection.js";

/** @param {string} value */
const offer = (value) => ({ value, title: value, tasks: 1 });
const axes = [
  { id: "kind", title: "Kind", values: ["web", "data, files", "data", "a:b"].map(offer) },
  { id: "size", title: "Size", values: ["small", "large"].map(offer) },
];

test("the longest value with its commas counts, and values may have colons", () => {
  assert.deepEqual(readFilter("kind:data, files,web", axes), { axis: "kind", values: ["data, files", "web"] });
  assert.deepEqual(readFilter("kind: data , web,web", axes), { axis: "kind", values: ["data", "web"] });
  assert.deepEqual(readFilter("kind:a:b", axes), { axis: "kind", values: ["a:b"] });
  assert.deepEqual(readWeight("kind:a:b:2.5", axes), { axis: "kind", value: "a:b", weight: 2.5 });
});

test("what is read is written the same", () => {
  for (const text of ["kind:data, files,web", "size:large"]) {
    const filter = readFilter(text, axes);
    assert.equal(typeof filter === "string" ? filter : filterText(filter), text);
  }
  const weight = readWeight("kind:a:b:0", axes);
  assert.equal(typeof weight === "string" ? weight : weightText(weight), "kind:a:b:0");
});

test("what is no selection is named, and the rest counts", () => {
  assert.deepEqual(readSelection(["kind", "colour:red", "kind:webb", "size:small"], ["size:small:x", "size:large:2"], axes), {
    filters: [{ axis: "size", values: ["small"] }],
    weights: [{ axis: "size", value: "large", weight: 2 }],
    problems: [
      "“kind” is not written as AXIS:VALUE",
      "there is no axis “colour”",
      "Kind has no value “webb”",
      "“size:small:x” is not written as AXIS:VALUE:NUMBER",
    ],
  });
});

test("numbers are written as the program writes them: a half goes to the even digit", () => {
  assert.deepEqual([0.125, 0.375, 62.5, -0.04, -3.25].map((value, n) => numberText(value, [2, 2, 0, 1, 1][n])), ["0.12", "0.38", "62", "0.0", "−3.2"]);
});

test("weights that are all alike, and tasks with a weight of 0, are no weights", () => {
  const metric = { id: "m", title: "M", direction: /** @type {const} */ ("higher"), decimals: 1, interval: "", factor: 100, highest: 100, is_measured: false };
  const tasks = ["web", "web", "data"].map((kind, n) => ({ id: `t${n}`, labels: { kind } }));
  const row = { id: "r", name: "R", is_published: true, is_apart: false, attempts: 1, excluded: [], missing: [], version: null };
  const file = {
    headline: "m", least_known: 80, cluster: null, axes, tasks,
    metrics: [{ ...metric, aggregation: /** @type {const} */ ("mean"), counts: null }],
    submissions: [{ ...row, scores: { m: { above: [100, 0, 40] } } }],
  };
  const scored = (/** @type {string[]} */ weights) => scoreSelection(file, readSelection([], weights, axes));
  assert.equal(scored(["kind:web:2", "kind:data:2"]).rows[0].scores.m.value, 140 / 3);
  assert.equal(scored(["kind:data:0"]).tasks, 2);
  assert.equal(scored(["kind:data:0"]).rows[0].scores.m.value, 50);
  assert.equal(scored(["kind:data:3"]).rows[0].scores.m.value, 44);
});

test("tasks without any results are not among those that a board is scored over", () => {
  const tasks = ["a", "b", "c"].map((id) => ({ id, labels: { kind: id } }));
  const submission = { id: "x", name: "X", is_published: true, is_apart: false, attempts: 1, scores: {} };
  /** @type {import("../../site_src/assets/scripts/task-board.js").TaskFile} */
  const file = { headline: "", least_known: 50, cluster: null, axes, tasks, metrics: [], submissions: [{ ...submission, excluded: [2], missing: [] }, { ...submission, id: "y", excluded: [2], missing: [1] }] };
  assert.deepEqual([...scoredColumns(file)], [0, 1]);
  assert.deepEqual([...scoredColumns({ ...file, submissions: [file.submissions[1]] })], [0]);
});
