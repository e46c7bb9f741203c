// @ts-check
/** Reports about a case: the page's address for them, filled in, and never too long. */
import assert from "node:assert/strict";
import test from "node:test";

import { reportAddress } from "../../site_src/assets/scripts/case-reports.js";

const FORM = "https://example.org/new?title=%7Bcase%7D%3A%20Round%201&body=Page%3A%20x%2F%23%7Banchor%7D%0ACase%3A%20%7Bcase%7D%0AShown%3A%20%7Bshown%7D";

/** @param {string} name @returns {URLSearchParams} the fields of the report about a case */
const fields = (name) => new URL(reportAddress(FORM, { case: name, anchor: "case-1", shown: "failed for 1 of 2 agents" })).searchParams;

test("a report names the case, its place on the page and how it ended", () => {
  assert.equal(fields("c1").get("title"), "c1: Round 1");
  assert.equal(fields("c1").get("body"), "Page: x/#case-1\nCase: c1\nShown: failed for 1 of 2 agents");
});

test("what a case is called stays text", () => {
  for (const name of ["a&b=#c [d] $& %7Bshown%7D", "{shown}"]) assert.equal(fields(name).get("title"), `${name}: Round 1`);
});

test("a long name is cut so that servers take the address", () => {
  const address = reportAddress(FORM, { case: "例".repeat(300), anchor: "case-1", shown: "failed" });
  assert.ok(address.length <= 2000);
  assert.match(new URL(address).searchParams.get("body") ?? "", /Case: 例+…\n/);
});

test("a tracker that takes no fields keeps its address", () => {
  assert.equal(reportAddress("https://example.org/issues", { case: "c1", anchor: "case-1", shown: "" }), "https://example.org/issues");
});
