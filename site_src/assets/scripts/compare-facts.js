// @ts-check
/** What is known of two rows of a board, read from its comparison file. Pure: it sees values, never the DOM. */

/** @typedef {{ word: string, reason: string }} Finding */
/** @typedef {{ standing: string, value: readonly (number | null)[], low: readonly (number | null)[], high: readonly (number | null)[], p: readonly (number | null)[], tasks: readonly (number | null)[] }} Differences  a letter and a number for each pair */
/** @typedef {Readonly<Record<"both" | "only_first" | "only_second" | "neither", readonly (number | null)[]>>} PairCounts */
/** @typedef {{ id: string, title: string, rounds: readonly number[] }} Task */
/** @typedef {{ id: string, title: string, rows: readonly string[], rounds: Readonly<Record<string, readonly number[] | undefined>> }} Mark  no rows: all */
/** @typedef {{ id: string, name: string, status: string, evidence: string, rounds: readonly string[] }} FileRow */

/**
 * @typedef {object} ComparisonFile
 * @property {readonly { id: string, decimals: number }[]} metrics  the headline first
 * @property {Readonly<Record<string, Finding>>} findings  by their letters
 * @property {readonly number[]} attempts  what each string of a row's `rounds` counts
 * @property {readonly Task[]} tasks
 * @property {readonly FileRow[]} rows  best first
 * @property {readonly Mark[]} marks  findings that concern rounds
 * @property {{ standing: string, on_board: string, differences: Readonly<Record<string, Differences>>, rounds: PairCounts }} pairs
 */

/** @typedef {Finding & { metric: string, text: string, bounds: string, p: string, tasks: number | null }} Difference  as people read it; texts are "" for a gap */
/** @typedef {{ both: number, onlyFirst: number, onlySecond: number, neither: number }} Counts */
/** @typedef {Finding & { onBoard: string, differences: Map<string, Difference>, counts: Counts | null }} Facts */
/** @typedef {{ number: number, letters: readonly string[], differs: boolean }} RoundLine */
/** @typedef {{ task: Task, rounds: readonly RoundLine[], differing: number, passed: readonly string[] }} TaskLine  `passed` as people read it, by row */

/** The letters that mean the contrary when two rows change places. @type {Readonly<Record<string, string>>} */
const TURNED = { a: "b", b: "a", A: "B", B: "A" };
const PASSED = "p";
const EXCLUDED = "x";
/** Letters of rounds without a verdict. */
const NO_VERDICT = `m${EXCLUDED}`;

/**
 * Say what is known of two rows.
 *
 * @param {ComparisonFile} file @param {string} first @param {string} second @returns {Facts}
 */
export function between(file, first, second) {
  const [one, other] = [first, second].map((id) => position(file, id));
  const isTurned = one > other;
  const pair = pairAt(file.rows.length, Math.min(one, other), Math.max(one, other));
  const { standing, on_board: onBoard, differences, rounds } = file.pairs;
  return {
    ...findingOf(file, standing[pair], isTurned),
    onBoard: findingOf(file, onBoard[pair], isTurned).word,
    differences: new Map(file.metrics.map(({ id, decimals }) => {
      const { standing: letters, value, low, high, p, tasks } = differences[id];
      const numbers = [value[pair], low[pair], high[pair]].flatMap((number) => number ?? []);
      const [apart, from, to] = isTurned ? [-numbers[0], -numbers[2], -numbers[1]] : numbers;
      const texts = numbers.length ? { text: signed(apart, decimals), bounds: `${plain(from, decimals)} to ${plain(to, decimals)}` } : { text: "", bounds: "" };
      return [id, { metric: id, ...findingOf(file, letters[pair], isTurned), ...texts, p: chance(p[pair]), tasks: tasks[pair] }];
    })),
    counts: countsOf(rounds, pair, isTurned),
  };
}

/** @param {number} rows @param {number} first @param {number} second  behind the first @returns {number} where a pair stands in the lists of pairs */
export function pairAt(rows, first, second) {
  return first * rows - (first * (first + 1)) / 2 + second - first - 1;
}

/** @param {ComparisonFile} file @param {readonly string[]} ids @returns {string[]} best first */
export function bestFirst(file, ids) {
  return [...ids].sort((one, other) => position(file, one) - position(file, other));
}

/** @template Item @param {readonly Item[]} items @returns {[Item, Item][]} every two, the earlier one first */
export function pairsOf(items) {
  return items.flatMap((first, index) => items.slice(index + 1).map((second) => /** @type {[Item, Item]} */ ([first, second])));
}

/**
 * Say how rounds went for some rows, task by task.
 *
 * @param {ComparisonFile} file
 * @param {readonly string[]} ids  rows that have results
 * @returns {TaskLine[]}
 */
export function roundsOf(file, ids) {
  const level = attemptsLevel(file, ids);
  const texts = ids.map((id) => file.rows[position(file, id)].rounds[level]);
  let before = 0;
  return file.tasks.map((task) => {
    const rounds = task.rounds.map((number, index) => {
      const letters = texts.map((text) => text[before + index]);
      return { number, letters, differs: differ(letters) };
    });
    const passed = texts.map((text) => passedText(text.slice(before, before + task.rounds.length)));
    before += task.rounds.length;
    return { task, rounds, differing: rounds.filter(({ differs }) => differs).length, passed };
  });
}

/** @param {ComparisonFile} file @param {string} row @param {string} task @param {number} round @returns {Mark[]} the findings that concern a round of a row */
export function marksOn(file, row, task, round) {
  return file.marks.filter(({ rows, rounds }) => (!rows.length || rows.includes(row)) && rounds[task]?.includes(round));
}

/** @param {ComparisonFile} file @param {readonly string[]} ids  rows that have results @returns {number} which number of attempts all of them made */
export function attemptsLevel(file, ids) {
  return Math.min(...ids.map((id) => file.rows[position(file, id)].rounds.length)) - 1;
}

/** @param {ComparisonFile} file @param {string} id @returns {boolean} */
export function hasRounds(file, id) {
  return file.rows[position(file, id)].rounds.length > 0;
}

/** @param {ComparisonFile} file @param {string} id @returns {number} -1 where the file does not have the row */
export function position(file, id) {
  return file.rows.findIndex((row) => row.id === id);
}

/** @param {number | null} p @returns {string} as the pages of submissions write it */
function chance(p) {
  if (p === null) return "";
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/** @param {ComparisonFile} file @param {string} letter @param {boolean} isTurned @returns {Finding} */
function findingOf(file, letter, isTurned) {
  return file.findings[isTurned ? TURNED[letter] ?? letter : letter];
}

/** @param {PairCounts} rounds @param {number} pair @param {boolean} isTurned @returns {Counts | null} */
function countsOf(rounds, pair, isTurned) {
  const [both, first, second, neither] = [rounds.both, rounds.only_first, rounds.only_second, rounds.neither].map((list) => list[pair]);
  if (both === null || first === null || second === null || neither === null) return null;
  const [onlyFirst, onlySecond] = isTurned ? [second, first] : [first, second];
  return { both, onlyFirst, onlySecond, neither };
}

/** @param {readonly string[]} letters @returns {boolean} whether one passed and another did not */
function differ(letters) {
  const known = letters.filter((letter) => !NO_VERDICT.includes(letter));
  return known.includes(PASSED) && known.some((letter) => letter !== PASSED);
}

/** @param {string} letters  of a task's rounds @returns {string} those that are left out do not count */
function passedText(letters) {
  const counted = [...letters].filter((letter) => letter !== EXCLUDED);
  return `${counted.filter((letter) => letter === PASSED).length} of ${counted.length}`;
}

/** @param {number} value @param {number} decimals */
function signed(value, decimals) {
  return value > 0 ? `+${plain(value, decimals)}` : plain(value, decimals);
}

/** @param {number} value @param {number} decimals */
function plain(value, decimals) {
  return (value || 0).toFixed(decimals);
}
