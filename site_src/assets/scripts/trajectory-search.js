// @ts-check
/** Finds words in a transcript. Pure. */

import { textsOf } from "./trajectory-blocks.js";

/** @typedef {import("./trajectory-blocks.js").Block} Block */
/** @typedef {{ index: number, hits: number }} Found  a step with hits: its index, and how many */

/** @param {string} words @returns {RegExp | null} what finds them in any case; null where nothing is searched for */
export function patternOf(words) {
  const wanted = words.trim();
  return wanted ? new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
}

/** @param {string} text @param {RegExp} pattern  global @returns {[number, number][]} where each hit begins and ends */
export function hitsIn(text, pattern) {
  return [...text.matchAll(pattern)].map((hit) => [hit.index, hit.index + hit[0].length]);
}

/** @param {readonly Block[]} blocks  of one step @param {RegExp} pattern  global @returns {number} */
export function hitCount(blocks, pattern) {
  let count = 0;
  for (const text of blocks.flatMap(textsOf)) for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}

/**
 * Find the hit that is so many after, or before, another one, going round at either end.
 *
 * @param {readonly Found[]} found @param {number} current  from 0; -1 for none yet @param {1 | -1} step
 * @returns {{ current: number, index: number, within: number } | null} the hit's number, its step, and its number there
 */
export function nextHit(found, current, step) {
  const total = found.reduce((sum, { hits }) => sum + hits, 0);
  if (!total) return null;
  const next = current < 0 && step < 0 ? total - 1 : (current + step + total) % total;
  let before = 0;
  for (const { index, hits } of found) {
    if (next < before + hits) return { current: next, index, within: next - before };
    before += hits;
  }
  return null;
}

/** @param {readonly Found[]} found @param {number} from  index of a step @returns {number} the hit before the first one there or later; -1 where it is the first */
export function hitBefore(found, from) {
  let before = 0;
  for (const { index, hits } of found) {
    if (index >= from) break;
    before += hits;
  }
  return before - 1;
}
