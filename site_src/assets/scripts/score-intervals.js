// @ts-check
/** Intervals of scores over tasks, by the program's own methods. */

/** @import { Parts, PartsRow } from "./task-parts.js" */
import { belowMedian, betaQuantile, tQuantile } from "./distributions.js";
import { rawDraws } from "./random-draws.js";
import { ROUNDING, clusterDegrees, contributions, influences, mean, pseudoValues, scoreOfRow, scoresOfParts, total, variance } from "./task-parts.js";

/** @typedef {{ low: number, high: number }} Interval */
/** The sampled units: tasks, or clusters of tasks by their columns. @typedef {{ tasks: readonly string[], clusters: readonly (readonly number[])[], weights: () => Weights }} Sample */
/** The weight of each task in each draw, with two half tasks at the end. @typedef {Float64Array[]} Weights */

/**
 * The properties of a metric that its intervals depend on.
 * @typedef {object} Scale
 * @property {number | null} highest  the highest possible score
 * @property {number} [reach]  the largest difference, if the score is a difference
 * @property {boolean} isMeasured  whether scores may be below 0
 * @property {boolean} isRatio
 * @property {boolean} isCount  whether the score is a number of tasks
 * @property {readonly ({ n: number, full: number } | null)[]} [counts]  for scores that are k of n: n, and the score if k is n
 */

const RESAMPLES = 10_000;
const LOW = 0.025;
const HIGH = 0.975;
/** Minimum number of tasks for an interval of a ratio or on a logarithmic scale. */
const FEWEST_TASKS = 5;
const FEWEST_FOR_BOTH_HALVES = 10;
const FEWEST_IN_A_GROUP = 3;
/** Maximum number of tasks that are resampled, as in `sitegen/metrics/intervals.py`. */
const MAX_DRAWN_TASKS = 2_500;
const LEAST_EVEN = 0.8;
const MAX_LOG_REACH = 50;
const DIGITS = 1e9;

/** @param {number} value */
const rounded = (value) => Math.round(value * DIGITS) / DIGITS;
/** @param {Interval} interval @param {number} [factor] @returns {Interval} without digits that differ between machines */
const scaled = ({ low, high }, factor = 1) => ({ low: rounded(low * factor), high: rounded(high * factor) });

/**
 * Draw weights of tasks, seeded by their names (the Bayesian bootstrap with two half tasks).
 * @param {readonly string[]} tasks  ids @returns {Weights}
 */
export function drawWeights(tasks) {
  const count = tasks.length;
  const weights = Array.from({ length: count + 2 }, () => new Float64Array(RESAMPLES));
  rawDraws(tasks, (count + 4) * RESAMPLES, (high, low, index) => {
    const [row, draw] = [Math.floor(index / RESAMPLES), index % RESAMPLES];
    const uniform = (high * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
    if (row < count + 2) weights[row][draw] = -Math.log(uniform);
    else weights[row - 2][draw] *= Math.cos(2 * Math.PI * uniform) ** 2;
  });
  for (let draw = 0; draw < RESAMPLES; draw += 1) {
    let sum = 0;
    for (const row of weights) sum += row[draw];
    for (const row of weights) row[draw] /= sum;
  }
  return weights;
}

/** @param {Parts} parts  of submissions that have a score @param {Scale} scale @param {Sample} sample @returns {(Interval | null)[]} in the order of the submissions */
export function intervalsOf(parts, scale, sample) {
  if (parts.aggregation === "median" && !scale.isRatio && scale.reach === undefined) {
    return parts.rows.map((row) => (sample.clusters.length ? null : medianInterval(row)));
  }
  if (scale.isRatio) return ratioIntervals(parts, scale, sample);
  if (scale.reach !== undefined) return differenceIntervals(unitValues(parts, sample), degreesOf(sample), scale.reach);
  const highest = sample.clusters.length && scale.isCount ? sample.tasks.length : scale.highest;
  if (sample.clusters.length && highest !== null) return clusteredIntervals(influences(parts), sample.clusters, highest);
  if (!sample.clusters.length && scale.counts) return exactIntervals(parts, scale.counts);
  if (!sample.clusters.length && highest !== null) return boundedIntervals(parts, sample, highest);
  const lowest = scale.isMeasured ? -Infinity : 0;
  const intervals = unboundedIntervals(unitValues(parts, sample), degreesOf(sample), false);
  return intervals.map(({ low, high }) => ({ low: Math.max(low, lowest), high }));
}

/** @param {Parts} parts @param {Sample} sample @returns {number[][]} the values of the units, whose mean is the score */
function unitValues(parts, { clusters }) {
  const values = contributions(parts);
  return clusters.length ? pseudoValues(values, clusters) : values;
}

/** @param {Sample} sample @returns {number} degrees of freedom of a variance between units */
function degreesOf({ tasks, clusters }) {
  return clusters.length ? clusterDegrees(clusters) : tasks.length - 1;
}

// Scores with a highest value

/** @param {Parts} parts @param {Sample} sample @param {number} highest */
function boundedIntervals(parts, sample, highest) {
  if (parts.groups.length) return parts.rows.map((row) => intervalOfGroups(row, parts.groups.map(({ columns }) => columns), highest));
  if (parts.hasOwnWeights) return parts.rows.map((row) => intervalOfWeightedTasks(row, highest));
  return parts.rows.map((row) => {
    const sizes = row.below.filter((size) => size > 0);
    const values = row.above.filter((_, column) => row.below[column] > 0).map((value, index) => value / sizes[index] / highest);
    const full = values.filter((value) => Math.abs(value - 1) <= ROUNDING).length;
    const isAllOrNothing = full + values.filter((value) => Math.abs(value) <= ROUNDING).length === values.length;
    const isEven = Math.max(...sizes) - Math.min(...sizes) <= ROUNDING;
    const effective = total(sizes) ** 2 / total(sizes.map((size) => size ** 2));
    if (isAllOrNothing && isEven) return scaled(binomialInterval(full, sizes.length), highest);
    const hasDraws = sample.tasks.length <= MAX_DRAWN_TASKS;
    if (isAllOrNothing || !hasDraws || effective < LEAST_EVEN * sizes.length) return intervalOfWeightedTasks(row, highest);
    return drawnInterval(row, sample.weights(), highest);
  });
}

/** Half a task has the lowest score, and half a task the highest. @param {PartsRow} row @param {Weights} weights @param {number} highest @returns {Interval} */
function drawnInterval(row, weights, highest) {
  const [lowestTask, highestTask] = weights.slice(-2);
  const count = row.below.filter((size) => size > 0).length;
  const size = total(row.below) / Math.max(count, 1);
  const [lows, highs] = [new Float64Array(RESAMPLES), new Float64Array(RESAMPLES)];
  const isSmall = count < FEWEST_FOR_BOTH_HALVES;
  for (let draw = 0; draw < RESAMPLES; draw += 1) {
    let above = highest * size * highestTask[draw];
    let below = size * (lowestTask[draw] + highestTask[draw]);
    for (let column = 0; column < row.above.length; column += 1) {
      above += row.above[column] * weights[column][draw];
      below += row.below[column] * weights[column][draw];
    }
    const [withoutLowest, withoutHighest] = [size * lowestTask[draw], size * highestTask[draw]];
    lows[draw] = isSmall ? (above - highest * withoutHighest) / (below - withoutHighest) : above / below;
    highs[draw] = isSmall ? above / (below - withoutLowest) : lows[draw];
  }
  const score = scoreOfRow(row, "mean");
  const low = score <= ROUNDING ? 0 : percentile(lows, LOW);
  const high = score >= highest - ROUNDING ? highest : percentile(highs, HIGH);
  return scaled({ low: Math.min(low, score), high: Math.max(high, score) });
}

/** @param {Float64Array} values  changed in place @param {number} share @returns {number} */
function percentile(values, share) {
  values.sort();
  const place = share * (values.length - 1);
  const before = Math.floor(place);
  return values[before] + (values[Math.min(before + 1, values.length - 1)] - values[before]) * (place - before);
}

/** The exact interval of k of n. @param {number} k @param {number} n @returns {Interval} */
function binomialInterval(k, n) {
  return {
    low: k > 0 ? betaQuantile(k, n - k + 1, LOW) : 0,
    high: k < n ? betaQuantile(k + 1, n - k, HIGH) : 1,
  };
}

/** @param {Parts} parts @param {NonNullable<Scale["counts"]>} counts @returns {(Interval | null)[]} */
function exactIntervals(parts, counts) {
  return scoresOfParts(parts).map((score, index) => {
    const count = counts[index];
    return count && scaled(binomialInterval(Math.round((score / count.full) * count.n), count.n), count.full);
  });
}

/**
 * The interval of a share, over the number of independent tasks with the same variance.
 * @param {number} share @param {number} spread  its variance @param {number} degrees @param {number} tasks @param {number} [independent] @returns {Interval}
 */
function effectiveInterval(share, spread, degrees, tasks, independent = tasks) {
  let effective = independent || tasks;
  if (spread > ROUNDING ** 2 && share > 0 && share < 1) {
    const shrinkage = (tQuantile(Math.max(tasks - 1, 1), HIGH) / tQuantile(Math.max(degrees, 1), HIGH)) ** 2;
    effective = ((share * (1 - share)) / spread) * shrinkage;
  }
  const { low, high } = binomialShares(share * effective, effective, share);
  return { low: Math.min(low, share), high: Math.max(high, share) };
}

/** @param {number} k  need not be an integer @param {number} n @param {number} share @returns {Interval} */
function binomialShares(k, n, share) {
  return {
    low: share > 0 ? betaQuantile(k, n - k + 1, LOW) : 0,
    high: share < 1 ? betaQuantile(k + 1, n - k, HIGH) : 1,
  };
}

/** @param {number} value */
const asShare = (value) => Math.min(Math.max(value, 0), 1);

/** The interval of a mean over groups, from the variance within each group. @param {PartsRow} row @param {readonly (readonly number[])[]} groups @param {number} highest @returns {Interval} */
function intervalOfGroups(row, groups, highest) {
  const sum = total(row.below);
  const share = asShare(scoreOfRow(row, "mean") / highest);
  const weights = row.below.map((size) => size / sum);
  const values = row.above.map((value, column) => (row.below[column] > 0 ? value / row.below[column] / highest : 0));
  const count = weights.filter((weight) => weight > 0).length;
  const terms = variancesOfGroups(values, weights, groups.map((columns) => columns.filter((column) => weights[column] > 0)), share);
  const effective = count ? 1 / total(weights.map((weight) => weight ** 2)) : 1;
  let spread = total(terms.map((term) => term.spread));
  const degrees = spread ? spread ** 2 / total(terms.map((term) => term.spread ** 2 / term.degrees)) : Math.max(count - 1, 1);
  if (spread > ROUNDING ** 2) spread += Math.max((share * (1 - share)) / effective - spread, 0) / effective;
  return scaled(effectiveInterval(share, spread, degrees, count, effective), highest);
}

/**
 * Terms that add up to a score's variance: one per large group, and one for all small groups together.
 * @param {readonly number[]} values  0 to 1 @param {readonly number[]} weights  adding up to 1 @param {readonly (readonly number[])[]} groups @param {number} share
 * @returns {{ spread: number, degrees: number }[]}
 */
function variancesOfGroups(values, weights, groups, share) {
  const large = groups.filter((columns) => columns.length >= FEWEST_IN_A_GROUP).map((columns) => ({
    degrees: columns.length - 1,
    spread: variance(columns.map((column) => values[column])),
    weight: total(columns.map((column) => weights[column] ** 2)),
  }));
  const pooled = total(large.map(({ degrees, spread }) => degrees * spread)) / total(large.map(({ degrees }) => degrees));
  const terms = large.map(({ degrees, spread, weight }) => ({ spread: (weight * (degrees * spread + pooled)) / (degrees + 1), degrees }));
  const small = groups.filter((columns) => columns.length < FEWEST_IN_A_GROUP).flat();
  if (small.length) {
    const tasks = weights.filter((weight) => weight > 0).length;
    const squares = small.map((column) => weights[column] ** 2);
    const spread = total(small.map((column, index) => (squares[index] * (values[column] - share) ** 2 * tasks) / Math.max(tasks - 1, 1)));
    const effective = total(squares) ** 2 / total(squares.map((square) => square ** 2));
    terms.push({ spread, degrees: Math.max(large.length ? effective : effective - 1, 1) });
  }
  return terms;
}

/** Weighted tasks vary like a smaller number of equally weighted tasks. @param {PartsRow} row @param {number} highest @returns {Interval} */
function intervalOfWeightedTasks(row, highest) {
  const columns = [...row.below.keys()].filter((column) => row.below[column] > 0);
  const sum = total(row.below);
  const weights = columns.map((column) => row.below[column] / sum);
  const values = columns.map((column) => row.above[column] / row.below[column] / highest);
  const share = asShare(scoreOfRow(row, "mean") / highest);
  const count = columns.length;
  const effective = 1 / total(weights.map((weight) => weight ** 2));
  let spread = 0;
  if (count > 1) spread = (count / (count - 1)) * total(values.map((value, index) => (weights[index] * (value - share)) ** 2));
  const shrinkage = effective ** -0.5;
  spread = (1 - shrinkage) * spread + shrinkage * Math.max(spread, (share * (1 - share)) / effective);
  return scaled(effectiveInterval(share, spread, effective - 1, count, effective), highest);
}

/** @param {readonly number[][]} rows  influences of tasks @param {readonly (readonly number[])[]} clusters @param {number} highest @returns {Interval[]} */
function clusteredIntervals(rows, clusters, highest) {
  const degrees = clusterDegrees(clusters);
  const values = pseudoValues(rows, clusters);
  return rows.map((row, index) => {
    const spread = variance(values[index]) / clusters.length / highest ** 2;
    return scaled(effectiveInterval(asShare(mean(row) / highest), spread, degrees, row.length, clusters.length), highest);
  });
}

// Differences, amounts, medians

/** Intervals of scores that are differences. @param {readonly number[][]} rows @param {number} degrees @param {number} reach @returns {Interval[]} */
function differenceIntervals(rows, degrees, reach) {
  const quantile = tQuantile(degrees, HIGH);
  return rows.map((row) => {
    const value = mean(row);
    const spread = Math.sqrt(variance(row));
    const half = (quantile * spread) / Math.sqrt(row.length);
    let [low, high] = [value - half, value + half];
    if (value < -ROUNDING) low = Math.min(low, endWithHalfATask(row.length, value, spread, -reach, -quantile));
    if (value > ROUNDING) high = Math.max(high, endWithHalfATask(row.length, value, spread, reach, quantile));
    const largest = Math.max(reach, Math.abs(value));
    return scaled({ low: Math.max(low, -largest), high: Math.min(high, largest) });
  });
}

/** @param {number} tasks @param {number} value @param {number} spread @param {number} unseen @param {number} quantile */
function endWithHalfATask(tasks, value, spread, unseen, quantile) {
  const count = tasks + 0.5;
  const middle = (tasks * value + 0.5 * unseen) / count;
  const squares = (tasks - 1) * spread ** 2 + tasks * (value - middle) ** 2 + 0.5 * (unseen - middle) ** 2;
  return middle + quantile * Math.sqrt(squares / count / (count + 1));
}

/** Intervals of amounts, on a logarithmic scale if possible. @param {readonly number[][]} rows @param {number} degrees @param {boolean} isPositive @returns {Interval[]} */
function unboundedIntervals(rows, degrees, isPositive) {
  const quantile = tQuantile(degrees, HIGH);
  return rows.map((row) => {
    const score = mean(row);
    const half = (quantile * Math.sqrt(variance(row))) / Math.sqrt(row.length);
    const hasLog = isPositive || row.every((value) => value >= 0);
    if (row.length < FEWEST_TASKS || score <= 0 || !hasLog) return scaled({ low: score - half, high: score + half });
    const factor = Math.exp(Math.min(half / score, MAX_LOG_REACH));
    return scaled({ low: score / factor, high: score * factor });
  });
}

/** @param {Parts} parts @param {Scale} scale @param {Sample} sample @returns {(Interval | null)[]} */
function ratioIntervals(parts, scale, sample) {
  const values = unitValues(parts, sample);
  return unboundedIntervals(values, degreesOf(sample), !scale.isMeasured).map((interval, index) => {
    const adding = parts.divisor?.rows[index].above.filter((value) => value !== 0).length ?? 0;
    return adding < FEWEST_TASKS || Math.abs(mean(values[index])) <= ROUNDING ? null : interval;
  });
}

/** The interval of a median, between two of the sorted task scores. @param {PartsRow} row @returns {Interval | null} */
function medianInterval({ above, below }) {
  const values = above.filter((_, column) => below[column] > 0).sort((a, b) => a - b);
  const skipped = belowMedian(values.length).filter((chance) => chance <= LOW).length - 1;
  return skipped < 0 ? null : scaled({ low: values[skipped], high: values[values.length - 1 - skipped] });
}
