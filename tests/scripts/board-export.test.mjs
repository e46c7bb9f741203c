/** Files of a view: every digit, gaps as gaps, and quotes where CSV needs them. */

import assert from "node:assert/strict";
import test from "node:test";

import { csvOf, fieldsOf, recordsOf } from "../../site_src/assets/scripts/board-export.js";

/** @typedef {import("../../site_src/assets/scripts/board-rows.js").Column} Column */
/** @typedef {import("../../site_src/assets/scripts/board-rows.js").Row} Row */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").View} View */

/** @param {string} key @param {Column["measure"]} [measure] @returns {Column} */
const column = (key, measure = null) => ({ key, title: key, part: "", first: "ascending", measure });
/** @param {string} id @param {Record<string, string | undefined>} cells @param {string} [version] @returns {Row} */
const row = (id, cells, version) => ({
  id,
  agent: 'The "A", 1',
  isIncomplete: false,
  text: "",
  date: "2026-06-25",
  parameters: null,
  facets: { organization: "Acme", scaffold: "", reasoning: "high", evidence: "complete", status: "published", open_weights: "" },
  cells: new Map(Object.entries(cells).map(([key, value]) => [key, { value, version }])),
});
/** @type {View} */
const all = { sorts: [], filter: "", facets: {}, from: "", to: "", fewest: "", most: "", columns: null, withdrawn: false, picks: [], tasks: [], weights: [] };
const columns = [column("rank"), column("agent"), column("sr", { metric: "sr" }), column("evidence"), column("style.new", { metric: "sr", axis: "style", group: "New" })];
const rows = [row("r1", { rank: "1", sr: "59.117933117933124", evidence: "2" }), row("r2", { rank: "", sr: undefined, "style.new": "0.0" })];

test("a file names the row, and then the columns that are shown", () => {
  assert.deepEqual(fieldsOf({ columns, rows }, all).map(({ name }) => name), [
    "submission", "status", "rank", "agent", "organization", "scaffold", "reasoning", "sr", "evidence", "sr.style.new",
  ]);
  assert.deepEqual(fieldsOf({ columns, rows }, { ...all, columns: ["sr"] }).map(({ name }) => name), [
    "submission", "status", "agent", "organization", "scaffold", "reasoning", "sr",
  ]);
});

test("CSV has every digit as the page states it, and nothing for a gap", () => {
  const [head, first, second, end] = csvOf(fieldsOf({ columns, rows }, { ...all, columns: ["rank", "sr", "style.new"] }), rows).split("\n");
  assert.equal(head, "submission,status,rank,agent,organization,scaffold,reasoning,sr,sr.style.new");
  assert.equal(first, 'r1,published,1,"The ""A"", 1",Acme,,high,59.117933117933124,');
  assert.equal(second, 'r2,published,,"The ""A"", 1",Acme,,high,,0.0');
  assert.equal(end, "");
});

test("no name is a formula for a program that opens the table, and a number stays one", () => {
  for (const agent of ["=1", "+1", "-1", "@sum", "\t=1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20sum"]) {
    const named = [{ ...row("r1", { sr: "-1" }), agent }];
    const [, line] = csvOf(fieldsOf({ columns, rows: named }, { ...all, columns: ["sr"] }), named).split("\n");
    assert.equal(line, `r1,published,'${agent},Acme,,high,-1`);
  }
});

test("JSON has numbers, and null for a gap and for what is not stated", () => {
  const [first, second] = recordsOf(fieldsOf({ columns, rows }, all), rows);
  assert.deepEqual([first.rank, first.sr, first.evidence, first.scaffold], [1, 59.117933117933124, "complete", null]);
  assert.deepEqual([second.rank, second.sr, second["sr.style.new"]], [null, null, 0]);
});

test("scores that have versions say which", () => {
  const versioned = [row("r1", { erosion: "0.68" }, "scb-2026-03")];
  const fields = fieldsOf({ columns: [column("erosion", { metric: "erosion" })], rows: versioned }, all);
  assert.equal(csvOf(fields, versioned), "submission,status,erosion,erosion.version\nr1,published,0.68,scb-2026-03\n");
});
