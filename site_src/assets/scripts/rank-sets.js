// @ts-check
/** Tests of which rows are better than others, over all pairs at once, and the possible ranks that follow. */

import { rawDraws } from "./random-draws.js";
import { mean, total } from "./task-parts.js";

const FLIPS = 4000;
const FEWER_FLIPS = 2000;
/** Number of rows above which fewer flips are drawn, to save time. */
const MANY = 300;
const CONFIDENCE = 0.95;
/** Factor within which a statistic equals the bound: draws have single precision. */
const TOLERANCE = 1 + 1e-5;

/** @typedef {{ first: number, second: number, scale: number, statistic: number }} Pair */

/**
 * Return which rows are shown to be better than others: the signs of tasks are flipped at random for all
 * pairs alike, and a pair is shown if it exceeds 95 % of the draws, in a step-down procedure.
 * @param {readonly number[][]} rows  each task's contribution to each score; more is better
 * @param {readonly string[]} tasks  ids, which seed the draws @returns {boolean[][]} whether the first row is better than the second
 */
export function shownBetter(rows, tasks) {
  const better = rows.map(() => rows.map(() => false));
  let pairs = pairsOf(rows);
  if (!pairs.some(({ scale }) => scale > 0)) return better;
  const draws = rows.length <= MANY ? FLIPS : FEWER_FLIPS;
  const totals = flippedTotals(centred(rows), tasks, draws);
  while (pairs.length) {
    const bound = quantile(largestStatistics(totals, pairs, draws)) * TOLERANCE;
    const isShown = pairs.map(({ statistic }) => Math.abs(statistic) > bound);
    if (!isShown.includes(true)) break;
    for (const [index, { first, second, statistic }] of pairs.entries()) {
      if (!isShown[index]) continue;
      if (statistic > 0) better[first][second] = true;
      else better[second][first] = true;
    }
    pairs = pairs.filter((_, index) => !isShown[index]);
  }
  return better;
}

/** @param {readonly number[][]} rows @returns {number[][]} the values minus the mean of each task */
function centred(rows) {
  const means = rows[0].map((_, column) => mean(rows.map((row) => row[column])));
  return rows.map((row) => row.map((value, column) => value - means[column]));
}

/** @param {readonly number[][]} rows @returns {Pair[]} */
function pairsOf(rows) {
  if (rows.length < 2) return [];
  const values = centred(rows);
  const totals = values.map(total);
  const indices = values.flatMap((_, first) => values.slice(first + 1).map((_, n) => ({ first, second: first + 1 + n })));
  const spreads = indices.map(({ first, second }) => total(values[first].map((value, column) => (value - values[second][column]) ** 2)));
  const steadying = mean(spreads) / 2;
  return indices.map(({ first, second }, index) => {
    const scale = Math.sqrt(spreads[index] + steadying);
    return { first, second, scale, statistic: (totals[first] - totals[second]) / scale };
  });
}

/** @param {readonly number[][]} values @param {readonly string[]} tasks @param {number} draws @returns {Float32Array[]} the sums of each row with flipped signs */
function flippedTotals(values, tasks, draws) {
  const sums = values.map(() => new Float64Array(draws));
  rawDraws(tasks, tasks.length * draws, (high, _, index) => {
    const [task, draw] = [Math.floor(index / draws), index % draws];
    for (let row = 0; row < values.length; row += 1) {
      if (high >>> 31) sums[row][draw] += values[row][task];
      else sums[row][draw] -= values[row][task];
    }
  });
  return sums.map((row) => Float32Array.from(row));
}

/** @param {readonly Float32Array[]} totals @param {readonly Pair[]} pairs @param {number} draws @returns {Float32Array} the largest statistic of any pair in each draw */
function largestStatistics(totals, pairs, draws) {
  const largest = new Float32Array(draws);
  for (const { first, second, scale } of pairs) {
    const [one, other, factor] = [totals[first], totals[second], 1 / scale];
    for (let draw = 0; draw < draws; draw += 1) {
      const statistic = Math.abs(one[draw] - other[draw]) * factor;
      if (statistic > largest[draw]) largest[draw] = statistic;
    }
  }
  return largest;
}

/** @param {Float32Array} values  changed in place @returns {number} the 95 % quantile */
function quantile(values) {
  values.sort();
  return values[Math.ceil(CONFIDENCE * (values.length - 1))];
}

/** @param {readonly boolean[][]} better @returns {[first: number, last: number][]} the first and last possible rank of each row */
export function rankSets(better) {
  return better.map((row, index) => {
    const above = better.filter((other) => other[index]).length;
    return [1 + above, better.length - row.filter(Boolean).length];
  });
}
