/** Views: an address says all of one, and asks for nothing that a board does not have; and what a choice makes of one. */

import assert from "node:assert/strict";
import test from "node:test";

import { withColumn } from "../../site_src/assets/scripts/board-menus.js";
import { chosen, plainView, readView, shownColumns, writeView } from "../../site_src/assets/scripts/board-view.js";

/** @typedef {import("../../site_src/assets/scripts/board-view.js").Known} Known */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").Sort} Sort */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").View} View */

/** @type {Known} */
const known = {
  columns: ["rank", "agent", "case_score", "sr"].map((key) => ({ key, first: "descending" })),
  sorts: [{ key: "case_score", direction: "descending" }],
  facets: new Map([
    ["organization", new Set(["Acme, Inc.", "Ümlaut & Söhne", ""])],
    ["status", new Set(["published", "withdrawn"])],
  ]),
  rows: new Set(["r1", "r2", "r3", "r4", "r5"]),
  isByTask: true,
};

/** @type {View} */
const full = {
  sorts: [{ key: "sr", direction: "ascending" }, { key: "rank", direction: "descending" }],
  filter: "gpt 5+6 & é",
  facets: { organization: ["Acme, Inc.", ""], status: ["withdrawn"] },
  from: "2026-01-01",
  to: "2026-06-30",
  fewest: "0.5",
  most: "70",
  columns: ["agent", "sr"],
  withdrawn: true,
  picks: ["r2", "r1"],
  tasks: ["kind:web,data, files", "size:large"],
  weights: ["kind:web:2.5"],
};

test("a view that is written is read back as it was", () => {
  assert.deepEqual(readView(writeView(full, known, ""), known), full);
});

test("defaults leave no trace", () => {
  assert.equal(writeView(plainView(known), known, ""), "");
  assert.equal(writeView(plainView(known), known, "?sort=sr&filter=x&organization=&columns=sr&withdrawn=1&pick=r1"), "");
});

test("lists are read by people too", () => {
  /** @type {View} */
  const view = { ...plainView(known), sorts: [{ key: "sr", direction: "descending" }, { key: "rank", direction: "ascending" }] };
  assert.equal(writeView({ ...view, picks: ["r1", "r2"] }, known, ""), "?sort=-sr,rank&pick=r1,r2");
});

test("what a board does not have, or not any more, is ignored", () => {
  const search = "?sort=-gone,toString&columns=gone&organization=Gone&pick=gone&from=yesterday&to=2026&fewest=few&most=-1&withdrawn=yes";
  assert.deepEqual(readView(search, known), plainView(known));
});

test("what is stale does not spoil what is not", () => {
  const view = readView("?sort=gone,-sr&columns=gone,sr&organization=Gone&organization=Acme%2C+Inc.&pick=gone,r3,r3", known);
  assert.deepEqual(view.sorts, [{ key: "sr", direction: "descending" }]);
  assert.deepEqual(view.columns, ["sr"]);
  assert.deepEqual(view.facets, { organization: ["Acme, Inc."] });
  assert.deepEqual(view.picks, ["r3"]);
});

test("broken escapes are no error", () => {
  assert.equal(readView("?filter=%E0%A4%A&sort=%", known).sorts, known.sorts);
});

test("parameters of others stay", () => {
  assert.equal(writeView({ ...plainView(known), filter: "x" }, known, "?ref=mail&filter=old"), "?ref=mail&filter=x");
});

test("no more than four rows are picked, and no more than two columns sort", () => {
  assert.deepEqual(readView("?pick=r1,r2,r3,r4,r5", known).picks, ["r1", "r2", "r3", "r4"]);
  assert.equal(readView("?sort=rank,sr,agent", known).sorts.length, 2);
});

const keys = ["rank", "agent", "sr", "gap"];

test("all columns are shown to those who chose none", () => {
  assert.deepEqual([...shownColumns(keys, null)], keys);
});

test("the agent is always shown", () => {
  assert.deepEqual([...shownColumns(keys, ["sr"])], ["agent", "sr"]);
});

test("a column goes and comes back, and the choice is gone with it", () => {
  const fewer = withColumn(keys, null, "gap", false);
  assert.deepEqual(fewer, ["rank", "agent", "sr"]);
  assert.equal(withColumn(keys, fewer, "gap", true), null);
});

test("chosen columns keep the order of the board", () => {
  assert.deepEqual(withColumn(keys, ["agent", "gap"], "rank", true), ["rank", "agent", "gap"]);
});

/** @param {string} key @returns {Sort} */
const up = (key) => ({ key, direction: "ascending" });
/** @param {string} key @returns {Sort} */
const down = (key) => ({ key, direction: "descending" });

test("choosing a column sorts by it alone, and choosing it again turns it", () => {
  assert.deepEqual(chosen([up("a"), down("b")], "c", "descending", false), [down("c")]);
  assert.deepEqual(chosen([down("c")], "c", "descending", false), [up("c")]);
});

test("choosing a second column leaves the first, and choosing it again turns the second", () => {
  assert.deepEqual(chosen([up("a")], "b", "descending", true), [up("a"), down("b")]);
  assert.deepEqual(chosen([up("a"), down("b")], "b", "descending", true), [up("a"), up("b")]);
  assert.deepEqual(chosen([up("a"), down("b")], "c", "ascending", true), [up("a"), up("c")]);
});

test("choosing the first column as the second turns it and keeps the other", () => {
  assert.deepEqual(chosen([up("a"), down("b")], "a", "descending", true), [down("a"), down("b")]);
});
