/** Long tables: their other rows are fetched once, and before a view that needs them. */

import assert from "node:assert/strict";
import test from "node:test";

import { addRows } from "../../site_src/assets/scripts/board-rows.js";
import { mountState, needsAllRows } from "../../site_src/assets/scripts/board-view.js";
import { absolute, once } from "../../site_src/assets/scripts/table-parts.js";

/** @typedef {import("../../site_src/assets/scripts/board-view.js").Known} Known */
/** @typedef {import("../../site_src/assets/scripts/board-view.js").Direction} Direction */

/** @returns {Known} */
const known = () => ({
  columns: [{ key: "agent", first: "ascending" }, { key: "score", first: "descending" }],
  sorts: [{ key: "score", direction: /** @type {Direction} */ ("descending") }],
  facets: new Map([["organization", new Set(["Acme"])]]),
  rows: new Set(["a"]),
  isByTask: true,
});

/** Let a state live in an address without a browser. @param {string} search */
function visit(search) {
  const place = { pathname: "/b/", search, hash: "" };
  const go = (/** @type {unknown} */ _, /** @type {string} */ __, /** @type {string} */ address) => {
    place.search = address.slice(place.pathname.length);
  };
  Object.assign(globalThis, { location: place, history: { pushState: go, replaceState: go }, addEventListener: () => {} });
  return place;
}

test("all rows are needed for any view but a choice of columns", () => {
  for (const search of ["?sort=agent", "?filter=x", "?organization=Acme", "?tasks=kind:tool", "?pick=z", "?withdrawn=1", "?from=2026-01-01"]) {
    assert.equal(needsAllRows(search, known()), true, search);
  }
  for (const search of ["", "?columns=score", "?q=agent", "?release=2026-06-01"]) assert.equal(needsAllRows(search, known()), false, search);
});

test("a view that needs all rows waits for them, and picks and columns do not", async () => {
  const place = visit("");
  let loads = 0;
  /** @type {(isLoaded: boolean) => void} */
  let finish = () => {};
  const parts = { isWhole: false, load: () => new Promise((/** @type {(isLoaded: boolean) => void} */ resolve) => { loads += 1; finish = resolve; }) };
  const state = mountState(known(), parts);
  state.step({ picks: ["a"] });
  state.step({ columns: ["score"] });
  assert.equal(loads, 0);
  assert.equal(place.search, "?columns=score&pick=a");
  state.step({ sorts: [{ key: "agent", direction: "ascending" }] });
  assert.equal(loads, 1);
  assert.equal(place.search, "?columns=score&pick=a");
  finish(false);
  await new Promise(setImmediate);
  assert.equal(place.search, "?columns=score&pick=a");
  state.typing({ filter: "x" });
  parts.isWhole = true;
  finish(true);
  await new Promise(setImmediate);
  assert.equal(state.view.filter, "x");
  state.step({ sorts: [{ key: "agent", direction: "ascending" }] });
  assert.equal(loads, 2);
  assert.match(place.search, /sort=agent/);
});

test("a board that has all of its rows never waits", () => {
  const place = visit("");
  mountState(known()).step({ filter: "x" });
  assert.equal(place.search, "?filter=x");
});

test("what came is kept, and what failed is tried again", async () => {
  let tries = 0;
  const act = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error("no connection");
    return tries === 2 ? null : tries;
  });
  assert.equal(await act(), null);
  assert.equal(await act(), null);
  assert.deepEqual(await Promise.all([act(), act()]), [3, 3]);
  assert.equal(await act(), 3);
  assert.equal(tries, 3);
});

test("a reference of one page works on another", () => {
  assert.equal(absolute("../../../b/main/x/#evidence", "https://example.org/site/b/main/rows-2/"), "https://example.org/site/b/main/x/#evidence");
});

test("rows that come later are known to the view", () => {
  const board = { columns: [], rows: /** @type {any[]} */ ([]), known: known() };
  const row = { dataset: { submission: "late", organization: "Bolt" }, cells: [], querySelector: () => ({ textContent: " Late " }) };
  addRows(board, /** @type {any} */ ([row]));
  assert.deepEqual(board.rows.map(({ id, agent }) => [id, agent]), [["late", "Late"]]);
  assert.equal(board.known.rows.has("late"), true);
  assert.equal(board.known.facets.get("organization")?.has("Bolt"), true);
});
