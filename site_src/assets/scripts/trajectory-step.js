// @ts-check
/** Makes a step to be read. Its texts are foreign: they enter the page as text and as nothing else. */

import { element } from "./element.js";
import { lineCount } from "./trajectory-text.js";
import { clock, count, counted, dollars, spentText } from "./trajectory-totals.js";

/** @typedef {import("./trajectory-worker.js").ShownStep} ShownStep */
/** @typedef {import("./trajectory-blocks.js").Block} Block */
/** @typedef {import("./trajectory-atif.js").Reference} Reference */
/** @typedef {(reference: Reference) => readonly Node[]} Refer  gives what leads to another transcript */

/** @typedef {{ name: string, anchor: string }} Named  what a step is called, and by what a link leads to it: "" for a step that none leads to */

/** The texts that folds will show, made when they are first opened. @type {WeakMap<HTMLDetailsElement, () => void>} */
const unmade = new WeakMap();

/**
 * @param {ShownStep} step
 * @param {Named} named
 * @param {Refer} refer
 * @returns {HTMLElement}
 */
export function stepElement(step, { name, anchor }, refer) {
  const link = anchor ? element("a", name) : document.createTextNode(name);
  if (link instanceof HTMLAnchorElement) link.href = `#${anchor}`;
  const source = element("span", step.source, { look: "sg-source" });
  const made = element("article", "", {
    inside: [element("h3", "", { inside: [link, " ", source].map(node) }), ...facts(step), ...step.blocks.map((block) => blockElement(block, refer))],
    look: "sg-turn",
  });
  made.dataset.source = ["user", "agent", "system"].includes(step.source) ? step.source : "other";
  if (step.isCopied) made.dataset.copied = "";
  if (anchor) made.id = anchor;
  made.tabIndex = -1;
  return made;
}

/** Open a fold, its text made. @param {HTMLDetailsElement} fold */
export function openFold(fold) {
  unmade.get(fold)?.();
  fold.open = true;
}

/** @param {string | Node} part @returns {Node} */
function node(part) {
  return typeof part === "string" ? document.createTextNode(part) : part;
}

/** @param {ShownStep} step @returns {HTMLElement[]} what is known of the step, on a line */
function facts({ time, model, isCopied, spent, total }) {
  const words = [isCopied ? "copied from before, not counted" : "", clock(time), model, spentText(spent), soFar(spent, total)].filter(Boolean);
  if (!words.length) return [];
  const line = element("p", words.join(" · "), { look: "sg-facts" });
  if (time) line.title = time;
  return [line];
}

/** @param {import("./trajectory-atif.js").Spent} spent @param {import("./trajectory-atif.js").Spent} total @returns {string} */
function soFar(spent, total) {
  const isTold = spent.input !== null || spent.output !== null || spent.cost !== null;
  const figures = [
    total.input === null ? "" : `${count(total.input)} in`,
    total.output === null ? "" : `${count(total.output)} out`,
    total.cost === null ? "" : dollars(total.cost),
  ].filter(Boolean);
  return isTold && figures.length ? `so far ${figures.join(", ")}` : "";
}

/** @param {Block} block @param {Refer} refer @returns {HTMLElement} */
function blockElement(block, refer) {
  const { kind, label, text, shown, references } = block;
  const made = element("div", "", { look: "sg-block" });
  made.dataset.kind = kind;
  if (label && shown) made.append(labelElement(label));
  else if (label && !text) made.append(labelElement(label));
  if (shown) made.append(words(text.slice(0, shown), kind));
  if (shown < text.length) made.append(foldElement(block));
  for (const reference of references) made.append(...refer(reference));
  return made;
}

/** @param {string} label @returns {HTMLElement} */
function labelElement(label) {
  return element("p", label, { look: "sg-block-label" });
}

/** @param {Block} block @returns {HTMLDetailsElement} */
function foldElement({ kind, label, text, shown }) {
  const rest = text.slice(shown);
  const lines = lineCount(rest);
  const size = lines > 1 || shown === 0 ? counted(lines, "line") : counted(rest.length, "character");
  const about = shown ? [node(`${size} more`)] : [element("span", label, { look: "sg-block-label" }), node(`, ${size}`)];
  const fold = element("details", "", { inside: [element("summary", "", { inside: about })], look: "sg-fold" });
  unmade.set(fold, () => {
    fold.append(words(rest, kind));
    unmade.delete(fold);
  });
  fold.addEventListener("toggle", () => {
    if (fold.open) unmade.get(fold)?.();
  });
  return fold;
}

/** @param {string} text @param {Block["kind"]} kind @returns {HTMLPreElement} */
function words(text, kind) {
  return element("pre", "", { inside: [kind === "call" ? element("code", text) : node(text)], look: "sg-words" });
}
