// @ts-check
/** A board over a selection of tasks: scores, intervals and rank sets from the file of scores by task. */

/** @import { Aggregation, Group, Parts, PartsRow } from "./task-parts.js" */
/** @import { Interval, Scale } from "./score-intervals.js" */
/** @import { Axis, Selection } from "./task-selection.js" */
import { rankSets, shownBetter } from "./rank-sets.js";
import { drawWeights, intervalsOf } from "./score-intervals.js";
import { byCluster, contributions, inGroups, ratioContributions, scoreOfRow } from "./task-parts.js";

/** @typedef {{ id: string, labels: Readonly<Record<string, string>>, cluster?: string }} Task */

/**
 * How the parts of a metric are combined into its score.
 * @typedef {object} Rule
 * @property {number} factor
 * @property {number | null} highest
 * @property {boolean} is_measured
 * @property {Aggregation} [aggregation]
 * @property {string | null} [counts]
 * @property {boolean} [is_total]
 * @property {boolean} [has_own_weights]
 * @property {{ axis: string, weights: Readonly<Record<string, number>> }} [groups]
 * @property {readonly [Rule, Rule]} [difference]
 * @property {readonly [Rule, Rule]} [ratio]
 */

/** @typedef {Rule & { id: string, title: string, direction: "higher" | "lower", decimals: number, interval: string }} MetricRule */

/**
 * A submission's score by task; null in `above` is a verdict that does not count.
 * @typedef {object} TaskScores
 * @property {readonly (number | null)[]} [above]
 * @property {readonly number[]} [below]  1 for every task if left out
 * @property {readonly { known: readonly number[], of: readonly number[] }[]} [extents]  one or two
 * @property {readonly number[] | null} [by_run]  columns for which the second extent counts; null if the narrower extent counts
 * @property {readonly number[]} [blocked]  columns
 * @property {string} [gap]
 * @property {readonly [TaskScores, TaskScores]} [parts]
 */

/** A score in a reported table. @typedef {{ value: number, low?: number, high?: number }} Figure */

/**
 * @typedef {object} Submission
 * @property {string} id
 * @property {string} name
 * @property {boolean} is_published
 * @property {boolean} is_apart
 * @property {number} [attempts]
 * @property {readonly number[]} [excluded]  columns of tasks that do not count for it
 * @property {readonly number[]} [missing]  columns of tasks without results
 * @property {string | null} [version]  of the headline's measurement
 * @property {Readonly<Record<string, TaskScores>>} [scores]  by metric; absent without results by task
 * @property {Readonly<Record<string, Figure & { groups: Readonly<Record<string, Readonly<Record<string, Figure>>>> }>>} [printed]  by metric; groups by axis and value
 */

/**
 * @typedef {object} TaskFile
 * @property {string} headline
 * @property {number} least_known  percent
 * @property {string | null} cluster  the noun for a cluster, if tasks form clusters
 * @property {readonly Axis[]} axes
 * @property {readonly Task[]} tasks
 * @property {readonly MetricRule[]} metrics
 * @property {readonly Submission[]} submissions
 */

/** @typedef {{ value: number | null, low?: number, high?: number, known: number, of: number, gap?: string }} Score */

/**
 * @typedef {object} BoardRow
 * @property {string} id
 * @property {Readonly<Record<string, Score>>} scores  by metric
 * @property {number | null} rank  by score alone
 * @property {readonly [number, number] | null} ranks  first and last possible rank; null if the order is not tested
 * @property {boolean} isIncomplete
 * @property {number} missing  number of tasks without results
 */

/**
 * @typedef {object} TaskBoard
 * @property {number} tasks
 * @property {number} total
 * @property {number} scored  number of selected tasks with results of any submission
 * @property {number} scoredTotal  number of tasks with results of any submission
 * @property {number} ranked  rows
 * @property {readonly BoardRow[]} rows  in order: published rows best first, then rows listed apart and retired rows
 * @property {readonly string[]} leftOut  names of published rows without results by task
 * @property {boolean} isWeighted  whether a reader's own weights differ among the selected tasks
 * @property {readonly string[]} unweighted  titles of metrics that weights do not change
 * @property {string} untested  why there are no intervals and tests; else ""
 */

const FEWEST_CLUSTERS = 6;
/** Scores that agree in this many decimals are equal. */
const EQUAL_DECIMALS = 9;

/** Score and rank a board over the tasks that match all filters. @param {TaskFile} file @param {Selection} selection @returns {TaskBoard} */
export function scoreSelection(file, selection) {
  const weightOf = file.tasks.map((task) => taskWeight(task, selection));
  const columns = [...file.tasks.keys()].filter((column) => weightOf[column] > 0);
  const isWeighted = columns.some((column) => weightOf[column] !== weightOf[columns[0]]);
  const view = new TaskView(file, columns, isWeighted ? weightOf : null);
  const withResults = file.submissions.filter((submission) => submission.scores);
  const scored = scoredColumns(file);
  const rows = new Map(file.submissions.map((submission) => [submission.id, view.emptyRow(submission)]));
  for (const metric of file.metrics) {
    for (const submission of withResults) {
      setScore(rows, submission.id, metric.id, view.measure(metric, submission.scores?.[metric.id] ?? {}, submission));
    }
    if (!view.untested) view.addIntervals(metric, withResults, rows);
  }
  for (const submission of file.submissions) {
    if (!submission.scores) view.addPrinted(submission, selection, rows);
  }
  const order = view.inOrder(file.submissions, rows);
  const ranked = view.rank(order, rows);
  return {
    tasks: columns.length,
    total: file.tasks.length,
    scored: columns.filter((column) => scored.has(column)).length,
    scoredTotal: scored.size,
    ranked,
    rows: order.map(({ id }) => rowOf(rows, id)),
    leftOut: file.submissions.filter((submission) => !submission.scores && submission.is_published).map(({ name }) => name),
    isWeighted,
    unweighted: isWeighted ? file.metrics.filter((metric) => !canBeWeighted(metric)).map(({ title }) => title) : [],
    untested: view.untested,
  };
}

/** @param {{ excluded?: readonly number[] }} submission @param {number} column @returns {boolean} whether a task counts for a submission */
const counts = ({ excluded }, column) => !excluded?.includes(column);

/** @param {TaskFile} file @returns {Set<number>} columns of the tasks with results of any submission */
export function scoredColumns({ tasks, submissions }) {
  const withResults = submissions.filter((submission) => submission.scores);
  const columns = [...tasks.keys()].filter((column) => withResults.some((submission) => counts(submission, column) && !submission.missing?.includes(column)));
  return new Set(columns);
}

/** @param {Task} task @param {Selection} selection @returns {number} 0 for a task that is not selected */
function taskWeight(task, { filters, weights }) {
  if (!filters.every(({ axis, values }) => values.includes(task.labels[axis]))) return 0;
  let product = 1;
  for (const { axis, value, weight } of weights) if (task.labels[axis] === value) product *= weight;
  return product;
}

/** @param {Rule} rule @returns {boolean} whether its parts are means over tasks, which weights can change */
function canBeWeighted({ aggregation, difference, ratio }) {
  const pair = difference ?? ratio;
  return pair ? pair.some(canBeWeighted) : aggregation === "mean";
}

/** @typedef {{ -readonly [Key in keyof BoardRow]: BoardRow[Key] }} OpenRow */
/** @typedef {ReadonlyMap<string, OpenRow>} Rows */

/** @param {Rows} rows @param {string} id @returns {OpenRow} */
function rowOf(rows, id) {
  const row = rows.get(id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}

/** @param {Rows} rows @param {string} id @param {string} metric @param {Score} score */
function setScore(rows, id, metric, score) {
  const row = rowOf(rows, id);
  row.scores = { ...row.scores, [metric]: score };
}

/** The selected tasks of a file. */
class TaskView {
  /** @param {TaskFile} file @param {readonly number[]} columns @param {readonly number[] | null} weights  a reader's own, by column of the file */
  constructor(file, columns, weights) {
    this.file = file;
    this.columns = columns;
    this.weights = weights;
    const withResults = file.submissions.filter((submission) => submission.scores);
    /** Columns that count for any submission, which are resampled. */
    this.counting = columns.filter((column) => withResults.some((submission) => counts(submission, column)));
    this.clusters = this.clusterColumns();
    this.untested = this.whyUntested();
    /** @type {ReturnType<typeof drawWeights> | undefined} */
    this.drawn = undefined;
  }

  /** @returns {Map<string, number[]>} indexes of the counting tasks by cluster; empty if tasks are independent */
  clusterColumns() {
    /** @type {Map<string, number[]>} */
    const clusters = new Map();
    for (const [place, column] of this.counting.entries()) {
      const name = this.file.tasks[column].cluster;
      if (name === undefined) return new Map();
      clusters.set(name, [...clusters.get(name) ?? [], place]);
    }
    return new Map([...clusters].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** @returns {string} why there are no intervals and tests, as a clause; else "" */
  whyUntested() {
    if (this.counting.length < 2) return "a single task is too few for a test";
    if (!this.clusters.size || this.clusters.size >= FEWEST_CLUSTERS) return "";
    const tasks = this.counting.length === 1 ? "task" : "tasks";
    return `the ${this.counting.length} ${tasks} form only ${this.clusters.size} groups by ${this.file.cluster}; intervals and tests need at least ${FEWEST_CLUSTERS}`;
  }

  /** Ids of the tasks that count. */
  get taskIds() {
    return this.counting.map((column) => this.file.tasks[column].id);
  }

  /** @param {Submission} submission @returns {OpenRow} */
  emptyRow({ id, missing = [] }) {
    const lacking = missing.filter((column) => this.columns.includes(column)).length;
    return { id, scores: {}, rank: null, ranks: null, isIncomplete: lacking > 0, missing: lacking };
  }

  /** @param {Submission} submission @returns {number[]} the selected columns that count for the submission */
  columnsOf({ excluded = [] }) {
    return this.columns.filter((column) => !excluded.includes(column));
  }

  /** Score a submission. @param {Rule} rule @param {TaskScores} scores @param {Submission} submission @returns {Score} */
  measure(rule, scores, submission) {
    const score = this.compute(rule, scores, submission);
    const { value, known, of } = score;
    if (value === null) return score;
    if (rule.is_total && known < of) return { ...score, value: null, gap: `known for only ${known} of ${of}, so there is no total` };
    const least = this.file.least_known;
    if (100 * known < least * of) return { ...score, value: null, gap: `known for only ${known} of ${of}, less than ${least} %` };
    return score;
  }

  /** @param {Rule} rule @param {TaskScores} scores @param {Submission} submission @returns {Score} the score, however little it covers */
  compute(rule, scores, submission) {
    if (scores.gap !== undefined) return { value: null, known: 0, of: 0, gap: scores.gap };
    const pair = rule.difference ?? rule.ratio;
    if (pair && scores.parts) return this.computePair(rule, pair, scores.parts, submission);
    const columns = this.columnsOf(submission);
    const { known, of } = extentOf(scores, columns);
    const missing = { value: null, known, of, gap: "not known of these tasks" };
    const { above = [], below } = scores;
    const isBlocked = columns.some((column) => scores.blocked?.includes(column) || above[column] === null);
    const isUnknown = columns.some((column) => below && below[column] === 0);
    if (!columns.length || isBlocked || (isUnknown && rule.aggregation === "sum")) return missing;
    const row = this.partsRow(rule, scores, columns);
    const value = scoreOfRow(inGroups(row, this.groups(rule, columns)), rule.aggregation ?? "mean");
    if (Number.isNaN(value) || row.below.every((weight) => weight === 0)) return missing;
    return { value, known, of };
  }

  /** @param {Rule} rule @param {readonly [Rule, Rule]} pair @param {readonly [TaskScores, TaskScores]} parts @param {Submission} submission @returns {Score} */
  computePair(rule, pair, parts, submission) {
    const read = rule.ratio ? this.measure : this.compute;
    const [first, second] = [0, 1].map((n) => read.call(this, pair[n], parts[n], submission));
    const { known, of } = narrower(first, second);
    const gap = first.gap ?? second.gap;
    if (first.value === null || second.value === null) return { value: null, known, of, gap };
    if (rule.difference) return { value: first.value - second.value, known, of };
    const divisor = second.value / pair[1].factor;
    if (divisor === 0) return { value: null, known, of, gap: "the denominator is 0" };
    return { value: (first.value / pair[0].factor / divisor) * rule.factor, known, of };
  }

  /** @param {Rule} rule @param {TaskScores} scores @param {readonly number[]} columns @returns {PartsRow} with the reader's weights */
  partsRow(rule, scores, columns) {
    const weigh = this.weights && rule.aggregation === "mean" ? this.weights : null;
    const above = columns.map((column) => (scores.above?.[column] ?? 0) * (weigh?.[column] ?? 1));
    const below = columns.map((column) => (scores.below ? scores.below[column] : 1) * (weigh?.[column] ?? 1));
    return { above, below };
  }

  /** @param {Rule} rule @param {readonly number[]} columns @returns {Group[]} indexes of the tasks in each group; empty for other metrics */
  groups({ groups }, columns) {
    if (!groups) return [];
    /** @type {Map<string, number[]>} */
    const places = new Map();
    for (const [place, column] of columns.entries()) {
      const value = this.file.tasks[column].labels[groups.axis] ?? "";
      places.set(value, [...places.get(value) ?? [], place]);
    }
    return [...places].map(([value, found]) => ({ columns: found, weight: groups.weights[value] ?? 1 }));
  }

  /** @param {Rule} rule @param {readonly TaskScores[]} scores  of the submissions @param {readonly Submission[]} submissions @returns {Parts} */
  parts(rule, scores, submissions) {
    const pair = rule.difference ?? rule.ratio;
    if (pair) {
      const [first, second] = [0, 1].map((n) => this.parts(pair[n], scores.map(({ parts }) => parts?.[n] ?? {}), submissions));
      if (rule.difference) return { ...first, subtrahend: second };
      return { ...times(first, rule.factor / pair[0].factor), divisor: times(second, 1 / pair[1].factor) };
    }
    const groups = this.groups(rule, this.counting);
    const rows = scores.map((score, index) => {
      const excluded = submissions[index].excluded ?? [];
      const { above, below } = this.partsRow(rule, score, this.counting);
      const counts = this.counting.map((column) => !excluded.includes(column));
      const kept = (/** @type {readonly number[]} */ values) => values.map((value, place) => (counts[place] ? value : 0));
      return inGroups({ above: kept(above), below: kept(below) }, groups);
    });
    const isWeighted = Boolean(this.weights) && rule.aggregation === "mean";
    return { rows, aggregation: rule.aggregation ?? "mean", groups, hasOwnWeights: Boolean(rule.has_own_weights) || isWeighted };
  }

  /** Add the interval of each score of a metric. @param {MetricRule} metric @param {readonly Submission[]} submissions @param {Rows} rows */
  addIntervals(metric, submissions, rows) {
    const scored = submissions.filter(({ id }) => rowOf(rows, id).scores[metric.id].value !== null);
    if (!scored.length) return;
    const parts = this.parts(metric, scored.map(({ scores }) => scores?.[metric.id] ?? {}), scored);
    const sample = {
      tasks: this.taskIds,
      clusters: [...this.clusters.values()],
      weights: () => (this.drawn ??= drawWeights(this.taskIds)),
    };
    for (const [index, interval] of intervalsOf(parts, this.scale(metric, scored), sample).entries()) {
      const score = rowOf(rows, scored[index].id).scores[metric.id];
      if (interval) setScore(rows, scored[index].id, metric.id, { ...score, ...around(interval, score.value ?? 0) });
    }
  }

  /** @param {Rule} rule @param {readonly Submission[]} scored @returns {Scale} */
  scale(rule, scored) {
    const isCount = rule.aggregation === "sum" && rule.counts === "tasks";
    const isWeighted = Boolean(this.weights) && rule.aggregation === "mean";
    const isOfTasks = rule.counts === "tasks" || (rule.counts === "attempts" && scored.every(({ attempts }) => attempts === 1));
    const counts = scored.map((submission) => {
      const n = this.columnsOf(submission).length;
      return { n, full: rule.factor * (isCount ? n : 1) };
    });
    const reach = rule.difference?.[0].highest ?? undefined;
    return {
      highest: rule.highest,
      ...(reach === undefined ? {} : { reach }),
      isMeasured: rule.is_measured,
      isRatio: Boolean(rule.ratio),
      isCount,
      ...(isOfTasks && !isWeighted ? { counts } : {}),
    };
  }

  /** Add the scores that a reported table publishes for all tasks, or for one value of one axis. @param {Submission} submission @param {Selection} selection @param {Rows} rows */
  addPrinted({ id, printed = {} }, { filters }, rows) {
    const isAll = this.columns.length === this.file.tasks.length;
    const only = filters.length === 1 && filters[0].values.length === 1 ? filters[0] : null;
    for (const { id: metric } of this.file.metrics) {
      /** @type {Figure | undefined} */
      let figure = isAll ? printed[metric] : undefined;
      if (!isAll && only) figure = printed[metric]?.groups[only.axis]?.[only.values[0]];
      const gap = "the source does not report it for these tasks";
      setScore(rows, id, metric, figure && !this.weights ? { ...figure, known: 0, of: 0 } : { value: null, known: 0, of: 0, gap });
    }
  }

  /** Sort submissions in the order of a board. @param {readonly Submission[]} submissions @param {Rows} rows @returns {Submission[]} */
  inOrder(submissions, rows) {
    const { headline } = this.file;
    const keys = new Map(submissions.map((submission) => {
      const row = rowOf(rows, submission.id);
      if (!submission.is_published) return [submission.id, [2]];
      const value = row.scores[headline].value;
      return [submission.id, [Number(submission.is_apart), Number(row.isIncomplete), Number(value === null), Number(!submission.scores), this.ascending(value ?? 0)]];
    }));
    return [...submissions].sort((a, b) => {
      const [first, second] = [keys.get(a.id) ?? [], keys.get(b.id) ?? []];
      const place = first.findIndex((value, index) => value !== second[index]);
      if (place >= 0) return first[place] - second[place];
      return a.id < b.id ? -1 : 1;
    });
  }

  /** @param {number} value @returns {number} lower for a better score */
  ascending(value) {
    const isHigherBetter = this.file.metrics.find(({ id }) => id === this.file.headline)?.direction === "higher";
    return Number((isHigherBetter ? -value : value).toFixed(EQUAL_DECIMALS));
  }

  /** Rank the comparable rows, and test their order. @param {readonly Submission[]} order @param {Rows} rows @returns {number} the number of ranked rows */
  rank(order, rows) {
    const { headline } = this.file;
    const competing = order.filter((submission) => submission.is_published && !submission.is_apart && submission.scores);
    const ranked = competing.filter(({ id }) => rowOf(rows, id).scores[headline].value !== null && !rowOf(rows, id).isIncomplete);
    if (new Set(ranked.map(({ version }) => version)).size > 1) return 0; // scores by different definitions are not comparable
    let last = NaN;
    for (const [index, { id }] of ranked.entries()) {
      const value = this.ascending(rowOf(rows, id).scores[headline].value ?? 0);
      rowOf(rows, id).rank = value === last ? rowOf(rows, ranked[index - 1].id).rank : index + 1;
      last = value;
    }
    for (const [index, ranks] of this.testedRanks(order, ranked, rows).entries()) rowOf(rows, ranked[index].id).ranks = ranks;
    return ranked.length;
  }

  /** @param {readonly Submission[]} order @param {readonly Submission[]} ranked @param {Rows} rows @returns {[number, number][]} empty if the order is not tested */
  testedRanks(order, ranked, rows) {
    const metric = this.file.metrics.find(({ id }) => id === this.file.headline);
    if (!metric || !ranked.length || this.untested || metric.aggregation === "median") return [];
    const scored = order.filter(({ id, scores }) => scores && rowOf(rows, id).scores[metric.id].value !== null);
    const parts = this.parts(metric, scored.map(({ scores }) => scores?.[metric.id] ?? {}), scored);
    let added = parts.divisor ? ratioContributions(parts, parts.divisor) : contributions(parts);
    if (this.clusters.size) added = byCluster(added, [...this.clusters.values()]);
    const sign = metric.direction === "higher" ? 1 : -1;
    const compared = ranked.map((submission) => added[scored.indexOf(submission)].map((value) => sign * value));
    const units = this.clusters.size ? [...this.clusters.keys()] : this.taskIds;
    return rankSets(shownBetter(compared, units));
  }
}

/** @typedef {{ known: number, of: number }} Extent  how much of the data that a score is defined over is known */

/** @param {TaskScores} scores @param {readonly number[]} columns @returns {Extent} */
function extentOf({ extents, by_run: byRun }, columns) {
  const [first, second] = (extents ?? []).map(({ known, of }) => ({ known: sumAt(known, columns), of: sumAt(of, columns) }));
  if (!first) return { known: columns.length, of: columns.length };
  if (!second) return first;
  if (!byRun) return narrower(first, second);
  return columns.some((column) => byRun.includes(column)) ? second : first;
}

/** @template {Extent} Counted @param {Counted} first @param {Counted} second @returns {Counted} the extent that covers the smaller share */
function narrower(first, second) {
  return second.known * Math.max(first.of, 1) < first.known * Math.max(second.of, 1) ? second : first;
}

/** @param {readonly number[]} values @param {readonly number[]} columns */
function sumAt(values, columns) {
  let sum = 0;
  for (const column of columns) sum += values[column];
  return sum;
}

/** @param {Parts} parts @param {number} factor @returns {Parts} */
function times(parts, factor) {
  const rows = parts.rows.map(({ above, below }) => ({ above: above.map((value) => value * factor), below }));
  return { ...parts, rows };
}

/** @param {Interval} interval @param {number} score @returns {Interval} with ends set to the score if they differ only by rounding */
function around({ low, high }, score) {
  const end = (/** @type {number} */ value) => (Math.abs(value - score) < 1e-9 ? score : value);
  return { low: end(low), high: end(high) };
}
