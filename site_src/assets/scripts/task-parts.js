// @ts-check
/** Scores by task, and their aggregation: used by "Recompute" and by boards over selected tasks. */

/** How the scores of tasks are aggregated. @typedef {"mean" | "sum" | "median"} Aggregation */
/** Tasks that share the weight of their group. @typedef {{ columns: readonly number[], weight: number }} Group */
/** One submission: its score is the sum of `above` divided by the sum of `below`. @typedef {{ above: readonly number[], below: readonly number[] }} PartsRow */

/**
 * Scores of several submissions by task.
 * @typedef {object} Parts
 * @property {Aggregation} aggregation
 * @property {readonly PartsRow[]} rows
 * @property {readonly Group[]} groups  for a mean over groups; else empty
 * @property {boolean} hasOwnWeights  whether tasks have their own weights
 * @property {Parts} [subtrahend]  parts of the score that is subtracted
 * @property {Parts} [divisor]  parts of the score that is the divisor
 */

/** Scores that differ by less are equal: sums depend on the order of addition. */
export const ROUNDING = 1e-9;

/** @param {Iterable<number>} values */
export function total(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** @param {readonly number[]} values */
export const mean = (values) => total(values) / values.length;

/** @param {readonly number[]} values @returns {number} NaN without values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (!sorted.length) return NaN;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Weight the tasks of a submission by their groups. @param {PartsRow} row @param {readonly Group[]} groups @returns {PartsRow} */
export function inGroups(row, groups) {
  if (!groups.length) return row;
  const factors = row.below.map(() => 0);
  for (const { columns, weight } of groups) {
    const sum = total(columns.map((column) => row.below[column]));
    for (const column of columns) factors[column] = row.below[column] ? weight / sum : 0;
  }
  const weighed = (/** @type {readonly number[]} */ values) => values.map((value, column) => (factors[column] ? value * factors[column] : 0));
  return { above: weighed(row.above), below: weighed(row.below) };
}

/** @param {PartsRow} row  weighted by its groups, if any @param {Aggregation} aggregation @returns {number} NaN for a gap */
export function scoreOfRow({ above, below }, aggregation) {
  if (aggregation === "sum") return total(above);
  if (aggregation === "median") return median(above.filter((_, column) => below[column] > 0));
  return total(above) / total(below);
}

/** @param {Parts} parts @returns {number[]} the score of each submission, before the subtrahend is subtracted */
export function scoresOfParts({ rows, aggregation, divisor }) {
  const scores = rows.map((row) => scoreOfRow(row, aggregation));
  if (!divisor) return scores;
  const divisors = scoresOfParts(divisor);
  return scores.map((score, index) => score / (divisors[index] || NaN));
}

/** @param {Parts} parts */
const withoutPair = (parts) => ({ ...parts, divisor: undefined, subtrahend: undefined });

/** @param {readonly number[][]} first @param {readonly number[][]} second */
const minus = (first, second) => first.map((row, index) => row.map((value, column) => value - second[index][column]));

/** Return the influence of each task on each score, plus the score. @param {Parts} parts @returns {number[][]} */
export function influences(parts) {
  if (parts.divisor) return ratioInfluences(parts, parts.divisor);
  const pulls = parts.rows.map(({ above, below }) => {
    const count = above.length;
    if (parts.aggregation === "sum") return above.map((value) => value * count);
    const sum = total(below);
    const score = total(above) / sum;
    return above.map((value, column) => score + (count / sum) * (value - score * below[column]));
  });
  return parts.subtrahend ? minus(pulls, influences(parts.subtrahend)) : pulls;
}

/** The influences on ratios, to first order (the delta method). @param {Parts} parts @param {Parts} divisor */
function ratioInfluences(parts, divisor) {
  const ratios = scoresOfParts(parts);
  const dividends = influences(withoutPair(parts));
  return influences(divisor).map((divisors, index) => {
    const size = mean(divisors);
    return divisors.map((value, column) => ratios[index] + (dividends[index][column] - ratios[index] * value) / size);
  });
}

/** Return each task's contribution to each score, for tests of order: its score times its weight. @param {Parts} parts @returns {number[][]} */
export function contributions(parts) {
  if (parts.divisor) return influences(parts);
  const pulls = influences(withoutPair(parts));
  const added = parts.rows.map(({ above, below }, index) => {
    const hasAllTasks = below.every((weight) => weight > 0);
    if (parts.aggregation === "sum" || !hasAllTasks) return pulls[index];
    const factor = above.length / total(below);
    return above.map((value) => factor * value);
  });
  return parts.subtrahend ? minus(added, contributions(parts.subtrahend)) : added;
}

/** Return each task's contribution to the rank of each ratio, for tests of order. @param {Parts} parts @param {Parts} divisor @returns {number[][]} */
export function ratioContributions(parts, divisor) {
  const dividends = contributions(withoutPair(parts));
  const divisors = contributions(divisor);
  const dividendScores = dividends.map(mean);
  const divisorScores = divisors.map(mean);
  const ratio = total(dividendScores) / total(divisorScores);
  const spread = (/** @type {readonly number[][]} */ rows, /** @type {readonly number[]} */ scores) =>
    mean(rows.map((row, index) => Math.sqrt(variance(row, 0)) / scores[index]));
  const isSteadier = dividendScores.every((score) => score > 0) && spread(dividends, dividendScores) < spread(divisors, divisorScores);
  return dividends.map((row, index) => {
    const size = isSteadier ? dividendScores[index] : ratio * divisorScores[index];
    return row.map((value, column) => (value - ratio * divisors[index][column]) / size);
  });
}

/** @param {readonly number[]} values @param {number} [lost]  degrees of freedom @returns {number} the sum of squared deviations divided by the number of values minus `lost` */
export function variance(values, lost = 1) {
  const middle = mean(values);
  return total(values.map((value) => (value - middle) ** 2)) / (values.length - lost);
}

// Tasks in clusters

/** @param {readonly number[]} row @param {readonly (readonly number[])[]} clusters  columns of each cluster */
const clusterSums = (row, clusters) => clusters.map((columns) => total(columns.map((column) => row[column])));

/** Return each cluster's contribution to each score. @param {readonly number[][]} rows @param {readonly (readonly number[])[]} clusters */
export function byCluster(rows, clusters) {
  return rows.map((row) => clusterSums(row, clusters).map((sum) => (sum * clusters.length) / row.length));
}

/** The jackknife pseudo-values of clusters: their mean is the score. @param {readonly number[][]} rows @param {readonly (readonly number[])[]} clusters */
export function pseudoValues(rows, clusters) {
  return rows.map((row) => {
    const score = mean(row);
    const sums = clusterSums(row.map((value) => value - score), clusters);
    const changes = sums.map((sum, index) => -sum / (row.length - clusters[index].length));
    const middle = mean(changes);
    return changes.map((change) => score + (clusters.length - 1) * (middle - change));
  });
}

/** Degrees of freedom of a variance between clusters. @param {readonly (readonly number[])[]} clusters */
export function clusterDegrees(clusters) {
  const sum = total(clusters.map(({ length }) => length ** 1.5));
  return Math.max(sum ** 2 / total(clusters.map(({ length }) => length ** 3)) - 1, 1);
}
