import assert from "node:assert/strict";
import { test } from "node:test";

import { compared, meanRank, namePlaces, placed, readView, usualSort, writeView } from "../../site_src/assets/scripts/agents-page.js";

/** @typedef {import("../../site_src/assets/scripts/agents-page.js").Known} Known */
/** @typedef {import("../../site_src/assets/scripts/agents-page.js").View} View */
/** @typedef {import("../../site_src/assets/scripts/agents-page.js").Direction} Direction */
/** @typedef {import("../../site_src/assets/scripts/agents-page.js").Ranks} Ranks */

/** @type {Known} */
const KNOWN = {
  columns: [{ key: "agent", first: "ascending" }, { key: "boards", first: "descending" }, { key: "a/x", first: "descending" }],
  boards: ["a/x", "b/y", "c/z"],
  sort: { key: "boards", direction: "descending" },
  pair: ["a/x", "b/y"],
};
/** @type {View} */
const PLAIN = { sort: KNOWN.sort, weights: "", boards: [], across: "a/x", up: "b/y" };

test("an address that asks for nothing shows the page as it comes", () => {
  assert.deepEqual(readView("", KNOWN), PLAIN);
  assert.equal(writeView(PLAIN, KNOWN, ""), "");
});

test("a view is the same after its address was written and read", () => {
  /** @type {View} */
  const view = { sort: { key: "mean", direction: "ascending" }, weights: "open", boards: ["a/x", "c/z"], across: "c/z", up: "a/x" };
  const query = writeView(view, KNOWN, "");
  assert.equal(query, "?sort=mean&weights=open&boards=a/x,c/z&x=c/z&y=a/x");
  assert.deepEqual(readView(query, KNOWN), view);
});

test("what the page does not have is ignored, and parameters of others stay", () => {
  assert.deepEqual(readView("?sort=-gone&weights=maybe&boards=gone,b/y&x=gone", KNOWN), { ...PLAIN, boards: ["b/y"] });
  assert.deepEqual(readView("?sort=mean&boards=b/y", KNOWN).sort, KNOWN.sort);
  assert.equal(writeView({ ...PLAIN, weights: "closed" }, KNOWN, "?other=1&weights=open"), "?other=1&weights=closed");
});

test("boards without the column that the page is sorted by are sorted by the first of them", () => {
  /** @type {Known} */
  const known = { ...KNOWN, columns: [...KNOWN.columns, { key: "b/y", first: "ascending" }], sort: { key: "a/x", direction: "descending" } };
  assert.deepEqual(usualSort(known, ["b/y", "c/z"]), { key: "b/y", direction: "ascending" });
  assert.deepEqual(usualSort(known, ["a/x", "b/y"]), known.sort);
  assert.deepEqual(usualSort(known, []), known.sort);
  const view = readView("?boards=b/y", known);
  assert.deepEqual(view.sort, { key: "b/y", direction: "ascending" });
  assert.equal(writeView(view, known, ""), "?boards=b/y");
});

test("missing values come last whichever way a column is sorted", () => {
  const sorted = (/** @type {Direction} */ direction) => [2, null, 3, 1].sort((first, second) => compared(first, second, direction));
  assert.deepEqual(sorted("ascending"), [1, 2, 3, null]);
  assert.deepEqual(sorted("descending"), [3, 2, 1, null]);
  assert.deepEqual(["b", "a"].sort((first, second) => compared(first, second, "ascending")), ["a", "b"]);
});

const cell = (/** @type {number | null} */ rank, /** @type {Ranks} */ ranks = null) => ({ value: 1, rank, ranks, low: null, high: null, reported: false, text: "1" });

test("a mean rank has a range where all ranks were tested", () => {
  const tested = [cell(1, { first: 1, last: 2 }), cell(4, { first: 2, last: 7 })];
  assert.deepEqual(meanRank(tested), { mean: 2.5, low: 1.5, high: 4.5 });
  assert.deepEqual(meanRank([tested[0], cell(4)]), { mean: 2.5, low: null, high: null });
});

test("an agent without a rank on every chosen board has no mean rank", () => {
  assert.equal(meanRank([cell(1), null]), null);
  assert.equal(meanRank([cell(1), cell(null)]), null);
  assert.equal(meanRank([]), null);
});

test("a value is placed between the ends of its axis", () => {
  assert.equal(placed(20, { low: -20, high: 60, marks: [] }), 0.5);
});

test("names do not overlap, and one without room is left out", () => {
  const apart = namePlaces([{ name: "Ash", x: 10, y: 50 }, { name: "Elm", x: 60, y: 90 }]);
  assert.deepEqual(apart.map((place) => place?.anchor), ["start", "start"]);
  const crowd = Array.from({ length: 12 }, (_, index) => ({ name: "A rather long name", x: 50, y: 100 + 8 * index }));
  const places = namePlaces(crowd).filter((place) => place !== null);
  assert.ok(places.length > 0 && places.length < crowd.length);
  assert.equal(namePlaces([{ name: "At the right edge", x: 100, y: 100 }])[0]?.anchor, "end");
});

test("a name is not on the line of an interval", () => {
  const [ash, elm] = namePlaces([{ name: "Ash", x: 50, y: 50, acrossLine: [40, 60] }, { name: "Elm", x: 50, y: 200, acrossLine: [40, 60], upLine: [180, 220] }]);
  assert.deepEqual(ash, { dx: 0, dy: -9, anchor: "middle" });
  assert.deepEqual(elm, { dx: 6, dy: -8, anchor: "start" });
});

test("dots at one place have no names, since nobody could tell which is whose", () => {
  assert.deepEqual(namePlaces([{ name: "Ash", x: 50, y: 100 }, { name: "Elm", x: 50, y: 100 }]), [null, null]);
});
