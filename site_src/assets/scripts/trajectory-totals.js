// @ts-check
/** Adds up what steps took, and writes it. Pure. */

/** @typedef {import("./trajectory-atif.js").Spent} Spent */
/** @typedef {import("./trajectory-atif.js").Step} Step */
/** @typedef {import("./trajectory-atif.js").Transcript} Transcript */

/** @type {Spent} */
export const NOTHING = { input: null, output: null, cached: null, cost: null };

/** @type {readonly (keyof Spent)[]} */
const KEYS = ["input", "output", "cached", "cost"];
const SECONDS = 1000;

/** @param {Spent} one @param {Spent} other @returns {Spent} what is told by neither stays untold */
export function sum(one, other) {
  /** @param {keyof Spent} key */
  const of = (key) => (one[key] === null && other[key] === null ? null : (one[key] ?? 0) + (other[key] ?? 0));
  return { input: of("input"), output: of("output"), cached: of("cached"), cost: of("cost") };
}

/**
 * Give what was spent up to and with each step. Context that was copied from before counts nothing.
 *
 * @param {readonly Step[]} steps @param {Spent} before  by the steps before these @returns {Spent[]}
 */
export function running(steps, before = NOTHING) {
  let soFar = before;
  return steps.map(({ spent, isCopied }) => {
    soFar = isCopied ? soFar : sum(soFar, spent);
    return soFar;
  });
}

/** @param {Spent} spent @returns {string} "" where nothing is told */
export function spentText({ input, output, cached, cost }) {
  const reused = cached === null ? "" : ` (${count(cached)} cached)`;
  const figures = [
    input === null ? "" : `${count(input)} tokens in${reused}`,
    output === null ? "" : `${count(output)} out`,
    cost === null ? "" : dollars(cost),
  ];
  return figures.filter(Boolean).join(" · ");
}

/** @param {Spent} counted @param {Spent} stated @returns {boolean} whether a file's own totals are others than those of its steps */
export function differ(counted, stated) {
  return KEYS.some((key) => stated[key] !== null && Math.abs((counted[key] ?? 0) - stated[key]) > 1e-6 * Math.max(1, stated[key]));
}

/** @param {number} number @returns {string} */
export function count(number) {
  return number.toLocaleString("en", { maximumFractionDigits: 0 });
}

/** @param {number} number @param {string} noun @returns {string} */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} amount  US dollars @returns {string} with as many decimals as a small sum needs */
export function dollars(amount) {
  return `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}

/** @param {string} time  as the file writes it @returns {string} the time of day where there is one */
export function clock(time) {
  return /T(\d\d:\d\d:\d\d)/.exec(time)?.[1] ?? time;
}

/** @param {readonly Step[]} steps @returns {string} the time from the first step to the last; "" where steps do not tell */
export function lasted(steps) {
  const times = steps.filter(({ isCopied }) => !isCopied).map(({ time }) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  if (times.length < 2) return "";
  const seconds = Math.round((times[times.length - 1] - times[0]) / SECONDS);
  if (seconds < 0) return "";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return [hours ? `${hours} h` : "", hours || minutes ? `${minutes} min` : "", `${seconds % 60} s`].filter(Boolean).join(" ");
}

/** @param {readonly Step[]} steps @returns {string} how many there are, by who made them */
export function stepsText(steps) {
  /** @type {Map<string, number>} */
  const sources = new Map();
  for (const { source } of steps) sources.set(source, (sources.get(source) ?? 0) + 1);
  const parts = [...sources].map(([source, number]) => `${count(number)} ${source}`);
  const copied = steps.filter(({ isCopied }) => isCopied).length;
  if (copied) parts.push(`${count(copied)} copied from before`);
  return `${count(steps.length)} (${parts.join(", ")})`;
}
