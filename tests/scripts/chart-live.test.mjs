/** A live chart's specification: colours of the page, marks that tell, agents that light up. */

import assert from "node:assert/strict";
import test from "node:test";

import { liveSpecification } from "../../site_src/assets/scripts/chart-live.js";

const INK = "#0a0b01";
const axis = { title: "Score (%)", values: [0, 50, 100] };
const about = { field: "about", type: "nominal" };

/** @param {Record<string, any>} encoding */
const drawing = (encoding) => ({
  usermeta: { tokens: { [INK]: "var(--ink)" }, agents: "#a1" },
  config: { text: { fontSize: 0 }, axis: { labelColor: INK } },
  padding: { left: 30, right: 10 },
  width: 320,
  layer: [{ data: { name: "data-0" }, mark: { type: "point" }, encoding }],
  datasets: { "data-0": [{ x: 1, colour: "#a10003", about: "Acme: 1" }] },
});
const look = { tone: (/** @type {string} */ token) => `tone of ${token}`, font: "sans", width: 300 };

test("colours become those of the page, and text gets its type", () => {
  const live = liveSpecification(drawing({ description: about, color: { field: "colour" } }), look);
  assert.equal(live.config.axis.labelColor, "tone of var(--ink)");
  assert.equal(live.datasets["data-0"][0].colour, "tone of var(--mark)");
  assert.deepEqual([live.config.text.fontSize, live.config.axis.labelFontSize, live.config.text.font], [12, 12, "sans"]);
});

test("it is as wide as there is room", () => {
  assert.equal(liveSpecification(drawing({ description: about }), look).width, 260);
});

test("a mark says what it is, and its agent can be pointed at", () => {
  const [layer] = liveSpecification(drawing({ description: about, color: { field: "colour" } }), look).layer;
  assert.deepEqual(layer.encoding.tooltip, about);
  assert.equal(layer.encoding.color.condition.value, "tone of var(--b)");
  assert.deepEqual(layer.params.map((/** @type {any} */ each) => each.name), ["pointed"]);
  assert.deepEqual(layer.params[0].select.fields, ["agent"]);
});

test("what is about no agent lights nothing up", () => {
  const plain = drawing({ description: about, color: { field: "colour" } });
  plain.datasets["data-0"][0].colour = INK;
  const [layer] = liveSpecification(plain, look).layer;
  assert.deepEqual(layer.params, []);
});

test("the drawing's own specification stays as it is", () => {
  const given = drawing({ description: about, x: { axis }, y: { axis } });
  const before = JSON.stringify(given);
  liveSpecification(given, look);
  assert.equal(JSON.stringify(given), before);
});
