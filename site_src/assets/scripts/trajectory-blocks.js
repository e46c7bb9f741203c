// @ts-check
/** Arranges what a step says as blocks, each shown in part with the rest folded. Pure. */

import { clean, cut } from "./trajectory-text.js";

/** @typedef {import("./trajectory-atif.js").Step} Step */
/** @typedef {import("./trajectory-atif.js").Call} Call */
/** @typedef {import("./trajectory-atif.js").Result} Result */
/** @typedef {import("./trajectory-atif.js").Reference} Reference */

/**
 * @typedef {object} Block
 * @property {"message" | "reasoning" | "call" | "result" | "extra"} kind
 * @property {string} label
 * @property {string} text
 * @property {number} shown  how many characters stand before the fold
 * @property {readonly Reference[]} references  to other transcripts
 */

/** What is shown of a block before the fold; nothing of those that are not named. @type {Readonly<Record<string, import("./trajectory-text.js").Room>>} */
const ROOM = {
  message: { lines: 30, characters: 4000 },
  call: { lines: 16, characters: 2000 },
  result: { lines: 10, characters: 1500 },
};
/** Arguments that are what a tool runs, by the names that agents' programs give them. */
const COMMANDS = ["keystrokes", "command", "cmd", "code", "script"];
const SHORT = 60;

/** @param {Step} step @returns {Block[]} in the order in which they came about */
export function blocksOf(step) {
  const ids = new Set(step.calls.map(({ id }) => id).filter(Boolean));
  const loose = step.results.filter(({ call }) => !ids.has(call));
  return [
    ...(step.reasoning ? [block("reasoning", "Reasoning", step.reasoning)] : []),
    ...(step.message ? [block("message", "", step.message)] : []),
    ...step.calls.flatMap((call) => [callBlock(call), ...step.results.filter((result) => call.id && result.call === call.id).map(resultBlock)]),
    ...loose.map(resultBlock),
    ...(step.extra ? [block("extra", "Further data", step.extra)] : []),
  ];
}

/** @param {Block} block @returns {string[]} its texts as the page has them, each searched by itself */
export function textsOf({ label, text, shown }) {
  return [label, text.slice(0, shown), text.slice(shown)];
}

/** @param {Call} call @returns {Block} */
function callBlock({ name, given }) {
  if (typeof given !== "object" || given === null) return block("call", name, given === null ? "" : plain(given));
  const all = Object.entries(given);
  const command = all.filter(([key, value]) => COMMANDS.includes(key) && typeof value === "string");
  const others = all.filter((entry) => !command.includes(entry));
  const areShort = command.length > 0 && others.every(([, value]) => isShort(plain(value)));
  const label = areShort ? [name, ...others.map(([key, value]) => `${clean(key)} ${plain(value)}`)].join(" · ") : name;
  const lines = [...command.map(([, value]) => plain(value)), ...(areShort ? [] : others.map(argument))];
  return block("call", label, lines.join("\n"));
}

/** @param {Result} result @returns {Block} */
function resultBlock({ text, references }) {
  return block("result", text ? "" : "Nothing was observed", text, references);
}

/** @param {[string, unknown]} entry @returns {string} */
function argument([key, value]) {
  const text = plain(value);
  return text.includes("\n") ? `${clean(key)}:\n${text}` : `${clean(key)}: ${text}`;
}

/** @param {unknown} value @returns {string} without empty lines at its end */
function plain(value) {
  return clean(typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? "").replace(/\n+$/, "");
}

/** @param {string} text @returns {boolean} */
function isShort(text) {
  return text.length <= SHORT && !text.includes("\n");
}

/** @param {Block["kind"]} kind @param {string} label @param {string} text @param {readonly Reference[]} references @returns {Block} */
function block(kind, label, text, references = []) {
  return { kind, label, text, shown: kind in ROOM ? cut(text, ROOM[kind]) : 0, references };
}
