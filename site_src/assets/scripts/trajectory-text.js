// @ts-check
/** Prepares the texts of a transcript for display: its words, and the effort of its steps. Pure. */

/** @import { Step } from "./trajectory-atif.js" */

/** Tokens and US dollars; `input` includes cached tokens. @typedef {Readonly<Record<"input" | "output" | "cached" | "cost", number | null>>} Spent */

/** Escape sequences of terminals: colours, cursor moves, titles, links. */
const STEERING = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
/** C1 control characters, and characters that change the direction of text. */
const TURNING = /[\x80-\x9f\u202a-\u202e\u2066-\u2069]/g;
const PICTURES = 0x2400;
const DELETE = 0x7f;
const SECONDS = 1000;

/** @type {Spent} */
export const NOTHING = { input: null, output: null, cached: null, cost: null };

/** Remove escape sequences of terminals, and show other control characters as symbols or numbers. @param {string} text @returns {string} */
export function clean(text) {
  if (!UNSEEN.test(text)) return text;
  return text
    .replace(STEERING, "")
    .replace(/\r+\n|\r/g, "\n")
    .replace(CONTROL, (found) => String.fromCharCode(PICTURES + (found.charCodeAt(0) === DELETE ? 0x21 : found.charCodeAt(0))))
    .replace(TURNING, (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** @param {string} text @returns {number} the number of lines, without counting a trailing line break as another line */
export function lineCount(text) {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** @param {readonly Step[]} steps @param {Spent} before  by the steps before these @returns {Spent[]} the effort up to and including each step; copied context counts as none */
export function running(steps, before = NOTHING) {
  let soFar = before;
  return steps.map(({ spent, isCopied }) => {
    if (isCopied) return soFar;
    const of = (/** @type {keyof Spent} */ key) => sum(soFar[key], spent[key]);
    return (soFar = { input: of("input"), output: of("output"), cached: of("cached"), cost: of("cost") });
  });
}

/** @param {number | null} one @param {number | null} other @returns {number | null} null if both are null */
function sum(one, other) {
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}

/** @param {Spent} spent @returns {string} "" if nothing is known */
export function spentText({ input, output, cached, cost }) {
  const reused = cached === null ? "" : ` (${count(cached)} cached)`;
  const figures = [
    input === null ? "" : `${count(input)} tokens in${reused}`,
    output === null ? "" : `${count(output)} out`,
    cost === null ? "" : dollars(cost),
  ];
  return figures.filter(Boolean).join(" · ");
}

/** @param {Spent} counted @param {Spent} stated @returns {boolean} whether a file's stated totals differ from those of its steps */
export function differ(counted, stated) {
  const keys = /** @type {const} */ (["input", "output", "cached", "cost"]);
  return keys.some((key) => stated[key] !== null && Math.abs((counted[key] ?? 0) - stated[key]) > 1e-6 * Math.max(1, stated[key]));
}

/** @param {number} number @returns {string} */
export function count(number) {
  return number.toLocaleString("en", { maximumFractionDigits: 0 });
}

/** @param {number} number @param {string} noun @returns {string} */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} amount  US dollars @returns {string} with more decimals for small amounts */
export function dollars(amount) {
  return `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}

/** @param {string} time  as in the file @returns {string} the time of day if it has one */
export function clock(time) {
  return /T(\d\d:\d\d:\d\d)/.exec(time)?.[1] ?? time;
}

/** @param {readonly Step[]} steps @returns {string} the time from the first step to the last; "" if not known */
export function lasted(steps) {
  const times = steps.filter(({ isCopied }) => !isCopied).map(({ time }) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  if (times.length < 2) return "";
  const seconds = Math.round((times[times.length - 1] - times[0]) / SECONDS);
  if (seconds < 0) return "";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return [hours ? `${hours} h` : "", hours || minutes ? `${minutes} min` : "", `${seconds % 60} s`].filter(Boolean).join(" ");
}

/** @param {readonly Step[]} steps @returns {string} the number of steps by source */
export function stepsText(steps) {
  /** @type {Map<string, number>} */
  const sources = new Map();
  for (const { source } of steps) sources.set(source, (sources.get(source) ?? 0) + 1);
  const parts = [...sources].map(([source, number]) => `${count(number)} ${source}`);
  const copied = steps.filter(({ isCopied }) => isCopied).length;
  if (copied) parts.push(`${count(copied)} copied from earlier`);
  return `${count(steps.length)} (${parts.join(", ")})`;
}
