/** Columns: any may go but the one that names the row. */

import assert from "node:assert/strict";
import test from "node:test";

import { withColumn } from "../../site_src/assets/scripts/columns.js";
import { shownColumns } from "../../site_src/assets/scripts/view.js";

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
