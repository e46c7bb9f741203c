// @ts-check
/** Search in a transcript: steps without a hit go, hits are marked, and a reader walks from one to the next. */

import { mountMarks } from "./trajectory-marks.js";
import { hitBefore, hitCount, nextHit, patternOf } from "./trajectory-search.js";
import { inTurns } from "./trajectory-steps.js";
import { count, counted } from "./trajectory-totals.js";

/** @typedef {import("./trajectory-search.js").Found} Found */
/** @typedef {import("./trajectory-steps.js").Steps} Steps */

/**
 * @typedef {object} Bar
 * @property {HTMLInputElement} field
 * @property {HTMLElement} told  where the number of hits is told
 * @property {HTMLButtonElement} previous
 * @property {HTMLButtonElement} next
 */

/** How long to wait for the next letter. In milliseconds. */
const PAUSE = 200;

/**
 * @param {Bar} bar @param {Steps} steps
 * @returns {() => Promise<void>} searches for what stands in the field, among the steps that there are
 */
export function mountFind(bar, steps) {
  const { field, previous, next } = bar;
  const marks = mountMarks(steps);
  /** @type {readonly Found[]} */
  let found = [];
  let current = -1;
  let asked = 0;
  const search = async () => {
    const mine = ++asked;
    const pattern = patternOf(field.value);
    const hits = await hitsOf(steps, pattern, () => mine !== asked);
    if (mine !== asked) return;
    [found, current] = [hits, -1];
    marks.show(pattern, found);
    tell(bar, steps, found, current);
  };
  /** @param {1 | -1} step */
  const go = (step) => {
    const hit = nextHit(found, current < 0 && step > 0 ? hitBefore(found, inSight(steps, found)) : current, step);
    if (!hit) return;
    current = hit.current;
    marks.go(hit.index, hit.within);
    tell(bar, steps, found, current);
  };
  previous.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));
  mountField(field, search, go);
  return search;
}

/** @param {HTMLInputElement} field @param {() => Promise<void>} search @param {(step: 1 | -1) => void} go */
function mountField(field, search, go) {
  let timer = 0;
  let searched = Promise.resolve();
  const begin = () => {
    timer = 0;
    keep(field.value.trim());
    searched = search();
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(begin, PAUSE);
  });
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(timer);
    if (timer) begin(); // what was typed just now is not searched for yet
    void searched.then(() => go(event.shiftKey ? -1 : 1));
  });
}

/** @param {Steps} steps @param {RegExp | null} pattern @param {() => boolean} isOver  whether somebody searches for something else by now @returns {Promise<Found[]>} */
async function hitsOf(steps, pattern, isOver) {
  /** @type {Found[]} */
  const found = [];
  if (!pattern) return found;
  await inTurns(steps.all, ({ blocks }, index) => {
    const hits = hitCount(blocks, pattern);
    if (hits) found.push({ index, hits });
  }, isOver);
  return found;
}

/** @param {Bar} bar @param {Steps} steps @param {readonly Found[]} found @param {number} current */
function tell({ field, told, previous, next }, steps, found, current) {
  const total = found.reduce((sum, { hits }) => sum + hits, 0);
  const where = `${counted(total, "hit")} in ${count(found.length)} of ${counted(steps.all.length, "step")}`;
  told.textContent = !patternOf(field.value) ? "" : current < 0 ? where : `${count(current + 1)} of ${where}`;
  previous.disabled = next.disabled = !total;
}

/** Keep in the address what is searched for. @param {string} words */
function keep(words) {
  const query = new URLSearchParams(location.search);
  if (words) query.set("find", words);
  else query.delete("find");
  history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
}

/** @param {Steps} steps @param {readonly Found[]} found @returns {number} index of the first step with a hit that is in sight or below it */
function inSight(steps, found) {
  return found.find(({ index }) => (steps.at(index)?.getBoundingClientRect().bottom ?? 0) > 0)?.index ?? 0;
}
