/** Groups of places, and names of rows to compare. */

import assert from "node:assert/strict";
import test from "node:test";

import { comparison, namesOf } from "../../site_src/assets/scripts/picks.js";
import { beginnings } from "../../site_src/assets/scripts/table.js";

test("a group begins where the places change, and rows without a place do not change them", () => {
  const places = [["a", "1-2"], ["b", ""], ["c", "1-2"], ["d", "3"], ["e", "4-5"]];
  assert.deepEqual([...beginnings(places.map(([id, place]) => ({ id, place })))], ["d", "e"]);
});

test("rows without groups have no beginnings", () => {
  assert.equal(beginnings([{ id: "a", place: "" }, { id: "b", place: "" }]).size, 0);
});

test("a comparison names its rows by letters", () => {
  assert.equal(comparison("compare/", ["r1", "r2", "r3"]), "compare/?a=r1&b=r2&c=r3");
});

test("rows of one name are told apart by how the agent was set up", () => {
  /** @param {string} id @param {string} agent @param {string} scaffold */
  const row = (id, agent, scaffold) => ({ id, agent, facets: { scaffold, reasoning: "" } });
  const names = namesOf([row("r1", "A", "x"), row("r2", "A", "y"), row("r3", "B", "x")]);
  assert.deepEqual([...names.values()], ["A (x)", "A (y)", "B"]);
});
