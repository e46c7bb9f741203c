/** Rows of a board: filtered by words, facets and days, and in order by one column or two, gaps last. */

import assert from "node:assert/strict";
import test from "node:test";

import { asked, counts, filteredAnswer, filtersOf, inOrder, matching, valueOf } from "../../site_src/assets/scripts/board-rows.js";

/** @typedef {import("../../site_src/assets/scripts/board-rows.js").Facts & { id: string }} Row */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").Sort} Sort */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").View} View */

/** @type {View} */
const nothing = { sorts: [], filter: "", facets: {}, from: "", to: "", fewest: "", most: "", columns: null, withdrawn: false, picks: [], tasks: [], weights: [] };

/** @param {string} id @param {Partial<Row["facets"]> & { text?: string, date?: string, parameters?: number | null }} [facts] @returns {Row} */
const row = (id, { text = id, date = "2026-01-01", parameters = null, ...facets } = {}) => ({
  id,
  text,
  date,
  parameters,
  facets: { organization: "", scaffold: "", reasoning: "", evidence: "complete", status: "published", open_weights: "", ...facets },
});
/** @param {readonly Row[]} rows */
const ids = (rows) => rows.map((each) => each.id);

test("every word must be found, in any order and spelling of case, accents and hyphens", () => {
  const rows = [row("a", { text: "ML-Forensics Éclair 5.5" }), row("b", { text: "forensics" })];
  assert.deepEqual(ids(matching(rows, { ...nothing, filter: " eclair  ml forensics" })), ["a"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, filter: "5.5" })), ["a"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, filter: " - " })), ["a", "b"]);
});

test("values of one facet add up, and facets narrow each other", () => {
  const rows = [
    row("a", { organization: "X", scaffold: "s" }),
    row("b", { organization: "Y", scaffold: "s" }),
    row("c", { organization: "Y", scaffold: "t" }),
    row("d"),
  ];
  assert.deepEqual(ids(matching(rows, { ...nothing, facets: { organization: ["X", "Y"] } })), ["a", "b", "c"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, facets: { organization: ["Y"], scaffold: ["s"] } })), ["b"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, facets: { organization: [""] } })), ["d"]);
});

test("days count from the first to the last, both included", () => {
  const rows = [row("a", { date: "2026-01-01" }), row("b", { date: "2026-02-01" }), row("c", { date: "2026-03-01" })];
  assert.deepEqual(ids(matching(rows, { ...nothing, from: "2026-02-01" })), ["b", "c"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, to: "2026-02-01" })), ["a", "b"]);
});

test("sizes of models count from the smallest to the largest, and rows that state none are left out", () => {
  const rows = [row("a", { parameters: 7 }), row("b", { parameters: 70 }), row("c", { parameters: 0.5 }), row("d")];
  assert.deepEqual(ids(matching(rows, { ...nothing, fewest: "7" })), ["a", "b"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, most: "7" })), ["a", "c"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, fewest: "0.6", most: "69.9" })), ["a"]);
  assert.deepEqual(ids(matching(rows, nothing)), ["a", "b", "c", "d"]);
  assert.equal(filtersOf({ ...nothing, most: "7" }), 1);
});

test("rows that do not stand are shown to those who ask for them, or for their status", () => {
  const rows = [row("a"), row("b", { status: "withdrawn" }), row("c", { status: "superseded" })];
  assert.deepEqual(ids(asked(rows, nothing)), ["a"]);
  assert.deepEqual(ids(asked(rows, { ...nothing, withdrawn: true })), ["a", "b", "c"]);
  assert.deepEqual(ids(matching(rows, { ...nothing, facets: { status: ["withdrawn"] } })), ["b"]);
});

test("a value counts the rows that choosing it would show, whatever is chosen beside it", () => {
  const rows = [
    row("a", { organization: "X", scaffold: "s" }),
    row("b", { organization: "Y", scaffold: "s" }),
    row("c", { organization: "Y", scaffold: "t" }),
  ];
  const view = { ...nothing, facets: { organization: ["X"], scaffold: ["s"] } };
  assert.deepEqual(Object.fromEntries(counts(rows, view, "organization")), { X: 1, Y: 1 });
  assert.deepEqual(Object.fromEntries(counts(rows, view, "scaffold")), { s: 1, t: 0 });
});

test("values that only hidden rows have are no values", () => {
  const rows = [row("a", { organization: "X" }), row("b", { organization: "Y", status: "withdrawn" })];
  assert.equal(counts(rows, nothing, "organization").size, 1);
  assert.equal(counts(rows, { ...nothing, withdrawn: true }, "organization").size, 2);
  assert.equal(counts(rows, nothing, "status").size, 2);
});

test("filters at work are counted by their kind", () => {
  assert.equal(filtersOf(nothing), 0);
  assert.equal(filtersOf({ ...nothing, filter: "acme" }), 1);
  assert.equal(filtersOf({ ...nothing, facets: { organization: ["X", "Y"], scaffold: [] }, from: "2026-01-01", withdrawn: true }), 3);
});

/** @param {string} id @param {Record<string, string | undefined>} cells @param {boolean} [isIncomplete] */
const sorted = (id, cells, isIncomplete = false) => ({
  id,
  isIncomplete,
  cells: new Map(Object.entries(cells).map(([key, value]) => [key, { value, version: undefined }])),
});
/** @param {string} key @returns {Sort} */
const up = (key) => ({ key, direction: "ascending" });
/** @param {string} key @returns {Sort} */
const down = (key) => ({ key, direction: "descending" });

test("gaps come last whichever way a column is sorted", () => {
  const rows = [sorted("gap", { a: undefined }), sorted("one", { a: "1" }), sorted("two", { a: "2" })];
  assert.deepEqual(inOrder(rows, { sorts: [up("a")] }).map(({ id }) => id), ["one", "two", "gap"]);
  assert.deepEqual(inOrder(rows, { sorts: [down("a")] }).map(({ id }) => id), ["two", "one", "gap"]);
});

test("rows that lack results for some tasks come last, behind gaps, whichever way a column is sorted", () => {
  const rows = [sorted("part", { a: "9" }, true), sorted("gap", { a: "" }), sorted("low", { a: "1" }), sorted("high", { a: "5" })];
  assert.deepEqual(inOrder(rows, { sorts: [down("a")] }).map(({ id }) => id), ["high", "low", "gap", "part"]);
  assert.deepEqual(inOrder(rows, { sorts: [up("a")] }).map(({ id }) => id), ["low", "high", "gap", "part"]);
});

test("a second column decides where the first one ties", () => {
  const rows = [sorted("1 1", { a: "1", b: "1" }), sorted("2 5", { a: "2", b: "5" }), sorted("1 3", { a: "1", b: "3" })];
  assert.deepEqual(inOrder(rows, { sorts: [up("a"), down("b")] }).map(({ id }) => id), ["1 3", "1 1", "2 5"]);
});

test("rows that tie keep their order", () => {
  const rows = [sorted("x", { a: "1" }), sorted("y", { a: "1" })];
  assert.deepEqual(inOrder(rows, { sorts: [down("a")] }).map(({ id }) => id), ["x", "y"]);
});

test("numbers in names count as numbers", () => {
  const rows = ["GLM-10", "GLM-5.1", "glm-2"].map((name) => sorted(name, { a: name }));
  assert.deepEqual(inOrder(rows, { sorts: [up("a")] }).map(({ id }) => id), ["glm-2", "GLM-5.1", "GLM-10"]);
});

test("a cell that states nothing is a gap, and zero is none", () => {
  assert.equal(valueOf(undefined), null);
  assert.equal(valueOf(""), null);
  assert.equal(valueOf("0"), 0);
  assert.equal(valueOf("2026-06-25"), "2026-06-25");
});

/** @param {string} agent @param {number | null} rank @param {boolean} isShown @param {string} [rankText] */
const ranked = (agent, rank, isShown, rankText = String(rank ?? "–")) => ({ agent, rank, rankText, score: `${agent}.5`, isShown });

test("a filtered board says who is best among the agents that are left, with the rank among all", () => {
  const rows = [ranked("1", 1, false), ranked("3", 3, true, "2–4"), ranked("2", 2, true, "2–4"), ranked("4", null, true)];
  assert.equal(filteredAnswer(rows, "descending"), "Among 3 of 4 agents, 2 is highest with 2.5 (rank 2–4 of all 3)");
  assert.equal(filteredAnswer(rows, "ascending"), "Among 3 of 4 agents, 2 is lowest with 2.5 (rank 2–4 of all 3)");
  const untested = [ranked("1", 1, false), ranked("2", 2, true, "(2)"), ranked("3", 2, true, "(2)")];
  assert.equal(filteredAnswer(untested, "descending"), "Among 2 of 3 agents, 2 and 3 are both highest with 2.5 (rank 2 of all 3 by score alone)");
});

test("a filter that leaves one agent, none, or none with a rank is said so", () => {
  assert.equal(filteredAnswer([ranked("1", 1, false), ranked("2", 2, true)], "descending"), "Only 2 matches the filter: 2.5 (rank 2 of all 2)");
  assert.equal(filteredAnswer([ranked("1", 1, false)], "descending"), "No agent matches the filter");
  assert.equal(filteredAnswer([ranked("1", 1, false), ranked("2", null, true), ranked("3", null, true)], "descending"), "2 of 3 agents match the filter, without a rank");
  const equal = [ranked("1", 1, true), ranked("2", 1, true), ranked("3", 1, true), ranked("4", 4, false)];
  assert.equal(filteredAnswer(equal, "descending"), "Among 3 of 4 agents, 3 share the highest score, 1.5 (rank 1 of all 4)");
});
