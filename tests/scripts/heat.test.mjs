/** Arrow keys on heat maps: one step goes to the next cell that is something to stop at, an end to the last. */

import assert from "node:assert/strict";
import test from "node:test";

import { stopOn } from "../../site_src/assets/scripts/heat.js";

const cells = ["a", "", "c", "d", ""];
/** @param {string} cell */
const filled = (cell) => cell !== "";

test("a step goes over what is empty", () => {
  assert.equal(stopOn(cells, 0, 1, filled), "c");
  assert.equal(stopOn(cells, 2, -1, filled), "a");
});

test("an end is the last that is something to stop at", () => {
  assert.equal(stopOn(cells, 0, Infinity, filled), "d");
  assert.equal(stopOn(cells, 3, -Infinity, filled), "a");
});

test("there is nothing beyond an edge", () => {
  assert.equal(stopOn(cells, 3, 1, filled), undefined);
  assert.equal(stopOn(cells, 0, -1, filled), undefined);
});
