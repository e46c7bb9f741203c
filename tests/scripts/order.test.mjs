/** Order: by one column or two, gaps last. */

import assert from "node:assert/strict";
import test from "node:test";

import { chosen, ordered, valueOf } from "../../site_src/assets/scripts/order.js";
import { inOrder } from "../../site_src/assets/scripts/table.js";

/** @typedef {import("../../site_src/assets/scripts/order.js").Sort} Sort */

/** @param {Record<string, number | string | null>} row @param {string} key */
const read = (row, key) => row[key] ?? null;
/** @param {string} key @returns {Sort} */
const up = (key) => ({ key, direction: "ascending" });
/** @param {string} key @returns {Sort} */
const down = (key) => ({ key, direction: "descending" });

test("gaps come last whichever way a column is sorted", () => {
  const rows = [{ a: null }, { a: 1 }, { a: 2 }];
  assert.deepEqual(ordered(rows, [up("a")], read), [{ a: 1 }, { a: 2 }, { a: null }]);
  assert.deepEqual(ordered(rows, [down("a")], read), [{ a: 2 }, { a: 1 }, { a: null }]);
});

test("rows that lack results for some tasks come last, behind gaps, whichever way a column is sorted", () => {
  /** @param {string} id @param {string} value @param {boolean} isIncomplete */
  const row = (id, value, isIncomplete) => ({ id, isIncomplete, cells: new Map([["a", { value, version: undefined }]]) });
  const rows = [row("part", "9", true), row("gap", "", false), row("low", "1", false), row("high", "5", false)];
  assert.deepEqual(inOrder(rows, { sorts: [down("a")] }).map(({ id }) => id), ["high", "low", "gap", "part"]);
  assert.deepEqual(inOrder(rows, { sorts: [up("a")] }).map(({ id }) => id), ["low", "high", "gap", "part"]);
});

test("a second column decides where the first one ties", () => {
  const rows = [{ a: 1, b: 1 }, { a: 2, b: 5 }, { a: 1, b: 3 }];
  assert.deepEqual(ordered(rows, [up("a"), down("b")], read).map((row) => row.b), [3, 1, 5]);
});

test("rows that tie keep their order", () => {
  const rows = [{ a: 1, name: "x" }, { a: 1, name: "y" }];
  assert.deepEqual(ordered(rows, [down("a")], read).map((row) => row.name), ["x", "y"]);
});

test("numbers in names count as numbers", () => {
  const rows = [{ a: "GLM-10" }, { a: "GLM-5.1" }, { a: "glm-2" }];
  assert.deepEqual(ordered(rows, [up("a")], read).map((row) => row.a), ["glm-2", "GLM-5.1", "GLM-10"]);
});

test("a cell that states nothing is a gap, and zero is none", () => {
  assert.equal(valueOf(undefined), null);
  assert.equal(valueOf(""), null);
  assert.equal(valueOf("0"), 0);
  assert.equal(valueOf("2026-06-25"), "2026-06-25");
});

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
