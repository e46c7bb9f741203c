// @ts-check
/** The rows that a comparison shows, and the file's facts about two of them. Pure: no access to the DOM. */

import { withItem } from "./element.js";

/** Names of the rows in an address; capital letters on the page. */
export const SLOTS = ["a", "b", "c", "d"];

/**
 * @typedef {object} Choice
 * @property {readonly string[]} ids  rows of the board, each once
 * @property {boolean} all  whether tasks with equal results are shown too
 * @property {readonly string[]} unknown  ids in the address that the board does not have
 * @property {readonly string[]} again  ids that occur more than once in the address
 */

/** @typedef {{ word: string, reason: string }} Finding */
/** @typedef {readonly (number | null)[]} Numbers  one per pair */
/** @typedef {{ standing: string } & Readonly<Record<"value" | "low" | "high" | "p" | "tasks", Numbers>>} Differences  with a letter for each pair */
/** @typedef {Readonly<Record<"both" | "only_first" | "only_second" | "neither", Numbers>>} PairCounts */
/** @typedef {{ id: string, title: string, rounds: readonly number[] }} Task */
/** @typedef {Readonly<Record<string, readonly number[] | undefined>>} MarkedRounds  by task */
/** @typedef {{ id: string, title: string, rows: readonly string[], rounds: MarkedRounds }} Mark  no rows: all */
/** @typedef {{ id: string, name: string, status: string, evidence: string, has_runs: boolean, rounds: readonly string[], points: readonly (number | null)[], single: readonly (readonly [number, number, string | null, string | null])[] }} FileRow  points by task; for rounds that fail by one case: index among all rounds, cases that ran, the case, the reason */

/**
 * @typedef {object} ComparisonFile
 * @property {readonly { id: string, direction: string, decimals: number, interval: string }[]} metrics  the headline first; the name of its intervals
 * @property {Readonly<Record<string, Finding>>} findings  by their letters
 * @property {readonly number[]} attempts  the number of attempts for each string of a row's `rounds`
 * @property {readonly Task[]} tasks
 * @property {readonly FileRow[]} rows  best first
 * @property {readonly Mark[]} marks  findings that concern rounds
 * @property {{ standing: string, on_board: string, differences: Readonly<Record<string, Differences>>, rounds: PairCounts }} pairs
 */

/** Formatted texts, "" for a gap, and value, low and high as numbers. @typedef {Finding & { metric: string, numbers: readonly number[], text: string, bounds: string, interval: string, p: string, tasks: number | null }} Difference */
/** @typedef {{ both: number, onlyFirst: number, onlySecond: number, neither: number }} Counts */
/** `word` is about this pair alone, `onBoard` about all pairs together; `verdict` is the stronger one. @typedef {Finding & { onBoard: string, verdict: string, differences: Map<string, Difference>, counts: Counts | null }} Facts */
/** @typedef {{ number: number, letters: readonly string[], differs: boolean }} RoundLine */
/** `passed` is a formatted text per row. @typedef {{ task: Task, rounds: readonly RoundLine[], differing: number, passed: readonly string[] }} TaskLine */

/** The letter of an outcome when two rows are swapped. @type {Readonly<Record<string, string>>} */
const TURNED = { a: "b", b: "a", A: "B", B: "A" };
const PASSED = "p";
const EXCLUDED = "x";
/** Letters of rounds without a verdict. */
const NO_VERDICT = `m${EXCLUDED}`;

/** @param {string} search  the query of an address @param {ReadonlySet<string>} known  ids of the board's rows @returns {Choice} */
export function readChoice(search, known) {
  const query = new URLSearchParams(search);
  const asked = SLOTS.map((slot) => query.get(slot) ?? "").filter(Boolean);
  const found = asked.filter((id) => known.has(id));
  return {
    ids: [...new Set(found)],
    all: query.get("rounds") === "all",
    unknown: asked.filter((id) => !known.has(id)),
    again: found.filter((id, index) => found.indexOf(id) !== index),
  };
}

/**
 * Write a choice as the query of an address; unrelated parameters are kept.
 * @param {readonly string[]} ids @param {boolean} all @param {string} search  the current query @returns {string} with its question mark, or ""
 */
export function writeChoice(ids, all, search) {
  const query = new URLSearchParams(search);
  for (const name of [...SLOTS, "rounds"]) query.delete(name);
  for (const [index, slot] of SLOTS.entries()) if (ids[index]) query.set(slot, ids[index]);
  if (all) query.set("rounds", "all");
  const text = query.toString();
  return text && `?${text}`;
}

/** @param {readonly string[]} ids @param {number} slot @param {string} id  "" to clear the slot @returns {string[]} without empty slots */
export function withSlot(ids, slot, id) {
  const others = SLOTS.map((_, index) => (index === slot ? id : ids[index] ?? ""));
  return others.filter((each, index) => each && (index === slot || each !== id));
}

/** @param {readonly string[]} ids @param {string} id @param {boolean} on @returns {string[]} */
export function withRow(ids, id, on) {
  return withItem(ids, id, on).slice(0, SLOTS.length);
}

/** @param {number} count  number of chosen rows @returns {number} number of slots to offer */
export function slotsFor(count) {
  return Math.min(SLOTS.length, Math.max(2, count + 1));
}

/** @param {ComparisonFile} file @param {string} first @param {string} second @returns {Facts} */
export function between(file, first, second) {
  const [one, other] = [first, second].map((id) => position(file, id));
  const isTurned = one > other;
  const pair = pairAt(file.rows.length, Math.min(one, other), Math.max(one, other));
  const { standing, on_board: onBoard, differences, rounds } = file.pairs;
  const findingOf = (/** @type {string} */ letter) => file.findings[isTurned ? TURNED[letter] ?? letter : letter];
  const numbers = [rounds.both, rounds.only_first, rounds.only_second, rounds.neither].flatMap((list) => list[pair] ?? []);
  const [both, onlyFirst, onlySecond, neither] = isTurned ? [numbers[0], numbers[2], numbers[1], numbers[3]] : numbers;
  const [alone, amongAll] = [findingOf(standing[pair]), findingOf(onBoard[pair])];
  return {
    ...alone,
    onBoard: amongAll.word,
    verdict: /ahead|behind/.test(amongAll.word) ? amongAll.word : alone.word,
    differences: new Map(file.metrics.map(({ id, decimals, interval }) => {
      const { standing: letters, value, low, high, p, tasks } = differences[id];
      const told = [value[pair], low[pair], high[pair]].flatMap((number) => number ?? []);
      const shown = isTurned ? [-told[0], -told[2], -told[1]] : told;
      const [text, bounds] = told.length ? [signed(shown[0], decimals, "+"), `${signed(shown[1], decimals)} to ${signed(shown[2], decimals)}`] : ["", ""];
      return [id, { metric: id, ...findingOf(letters[pair]), numbers: told.length ? shown : [], text, bounds, interval, p: chance(p[pair]), tasks: tasks[pair] }];
    })),
    counts: numbers.length < 4 ? null : { both, onlyFirst, onlySecond, neither },
  };
}

/** @param {number} value @param {number} decimals @param {string} [plus] @returns {string} zero has no sign */
export function signed(value, decimals, plus = "") {
  const shown = Number(value.toFixed(decimals)) || 0;
  return `${shown > 0 ? plus : shown < 0 ? "−" : ""}${Math.abs(shown).toFixed(decimals)}`;
}

/** @param {number | null} p @returns {string} formatted as on the pages of submissions */
function chance(p) {
  if (p === null) return "";
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/** @param {number} rows @param {number} first @param {number} second  greater than the first @returns {number} the index of a pair in the lists of pairs */
export function pairAt(rows, first, second) {
  return first * rows - (first * (first + 1)) / 2 + second - first - 1;
}

/** @template Item @param {readonly Item[]} items @returns {[Item, Item][]} all pairs, the earlier item first */
export function pairsOf(items) {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => /** @type {[Item, Item]} */ ([first, second])));
}

/** @param {ComparisonFile} file @param {readonly string[]} ids @returns {string[]} best first */
export function bestFirst(file, ids) {
  return [...ids].sort((one, other) => position(file, one) - position(file, other));
}

/** @param {ComparisonFile} file @param {readonly string[]} ids  rows that have results @returns {TaskLine[]} the results of their rounds, task by task */
export function roundsOf(file, ids) {
  const level = attemptsLevel(file, ids);
  const texts = ids.map((id) => file.rows[position(file, id)].rounds[level]);
  let before = 0;
  return file.tasks.map((task) => {
    const rounds = task.rounds.map((number, index) => {
      const letters = texts.map((text) => text[before + index]);
      const known = letters.filter((letter) => !NO_VERDICT.includes(letter));
      return { number, letters, differs: known.includes(PASSED) && known.some((letter) => letter !== PASSED) };
    });
    const passed = texts.map((text) => {
      const counted = [...text.slice(before, before + task.rounds.length)].filter((letter) => letter !== EXCLUDED);
      return `${counted.filter((letter) => letter === PASSED).length} of ${counted.length}`;
    });
    before += task.rounds.length;
    return { task, rounds, differing: rounds.filter(({ differs }) => differs).length, passed };
  });
}

/**
 * Each task's contribution to the difference of two rows' headline scores.
 * @param {ComparisonFile} file @param {string} first @param {string} second
 * @returns {{ line: TaskLine, points: number }[]} from most in favour of the first to most in favour of the second; empty if the score is not a mean over tasks, or without a difference
 */
export function pointsOf(file, first, second) {
  const { id, direction } = file.metrics[0];
  const [ours, theirs] = [first, second].map((row) => file.rows[position(file, row)].points);
  if (!ours.length || !theirs.length || !between(file, first, second).differences.get(id)?.text) return [];
  const sign = direction === "higher" ? 1 : -1;
  return roundsOf(file, [first, second])
    .flatMap((line, place) => {
      const [one, other] = [ours[place], theirs[place]];
      return one === null || other === null ? [] : { line, points: one - other };
    })
    .sort((one, other) => sign * (other.points - one.points));
}

/** @param {ComparisonFile} file @param {number} points  what a task adds to the difference @returns {"a" | "b"} the row that it favours; the first row if it adds nothing */
export function favoured({ metrics: [{ direction }] }, points) {
  return (direction === "higher" ? points < 0 : points > 0) ? "b" : "a";
}

/** @typedef {{ task: Task, number: number, by: string, failedBy: string, ran: number, name: string | null, why: string | null }} Decided  a round that one row passed and the other failed by one case */

/** @param {ComparisonFile} file @param {string} first @param {string} second @returns {Decided[]} rounds with most cases first */
export function decidedByOneCase(file, first, second) {
  const places = file.tasks.flatMap((task) => task.rounds.map((number) => ({ task, number })));
  const rows = [first, second].map((id) => file.rows[position(file, id)]);
  return [rows, [...rows].reverse()]
    .flatMap(([by, other]) => other.single
      .filter(([place]) => by.rounds[0]?.[place] === PASSED)
      .map(([place, ran, name, why]) => ({ ...places[place], by: by.id, failedBy: other.id, ran, name, why })))
    .sort((one, other) => other.ran - one.ran);
}

/** @param {ComparisonFile} file @param {string} row @param {string} task @param {number} round @returns {Mark[]} the findings that concern a round of a row */
export function marksOn(file, row, task, round) {
  return file.marks.filter(({ rows, rounds }) => (!rows.length || rows.includes(row)) && rounds[task]?.includes(round));
}

/** @param {ComparisonFile} file @param {readonly string[]} ids  rows that have results @returns {number} the index of the number of attempts that all of them made */
export function attemptsLevel(file, ids) {
  return Math.min(...ids.map((id) => file.rows[position(file, id)].rounds.length)) - 1;
}

/** @param {ComparisonFile} file @param {string} id @returns {boolean} */
export function hasRounds(file, id) {
  return file.rows[position(file, id)].rounds.length > 0;
}

/** @param {ComparisonFile} file @param {string} id @returns {number} -1 if the file does not have the row */
export function position(file, id) {
  return file.rows.findIndex((row) => row.id === id);
}

/** @param {ComparisonFile} file @param {string} base  address of the board @param {string} id @param {Task} task @param {string} [part]  of the run's own page @returns {string} the address of a run; a run of one round may have no page */
export function runAddress(file, base, id, task, part = "") {
  const hasPage = task.rounds.length > 1 || file.rows[position(file, id)].has_runs;
  return hasPage ? `${base}${id}/${task.id}/${part}` : `${base}${id}/#run-${task.id}`;
}
