// @ts-check
/** The parts of a comparison that a reader sees. Each takes values and gives elements. */

/** @import { ComparisonFile, Difference, Facts, TaskLine } from "./compare-facts.js" */
import { SLOTS, between, bestFirst, hasRounds, marksOn, pairsOf, roundsOf } from "./compare-facts.js";
import { element } from "./element.js";

/**
 * @typedef {object} Shown  what is compared
 * @property {ComparisonFile} file
 * @property {readonly string[]} ids
 * @property {ReadonlyMap<string, string>} names  by id
 * @property {string} headline  title of the score that ranks
 */

/** @typedef {{ id: string, index: number }} Chosen  a row by its letter's index */
/** @typedef {{ state: string, shade: string, mark: string, words: string }} Mark  of a round */
/** @typedef {{ base: string, round: string, marks: ReadonlyMap<string, Mark> }} Around  address of the board, its word for a round, marks by letter */

const GAP = "–";
const LONGEST = 140;
const COUNTED = ["Both passed", "Only the first", "Only the second", "Neither"];

/** @param {number} index @returns {HTMLElement} the letter that stands for a row */
export function letter(index) {
  return element("span", SLOTS[index].toUpperCase(), { className: "sg-letter" });
}

/** @param {Shown} shown @returns {HTMLLIElement[]} how each row stands to the next one, best first */
export function orderSentences({ file, ids, names, headline }) {
  const sorted = bestFirst(file, ids);
  return sorted.slice(1).map((second, index) => {
    const facts = between(file, sorted[index], second);
    const found = facts.differences.get(file.metrics[0].id);
    const about = found?.text ? aloneAndOnBoard(found, facts.onBoard, headline) : facts.reason;
    const verdict = sentence(facts.word, names.get(sorted[index]) ?? sorted[index], names.get(second) ?? second);
    return element("li", [element("b", verdict), `: ${about}.`], {}, { standing: facts.word });
  });
}

/**
 * Say of two rows whether they can be told apart, as a page's first sentence, and how sure that is.
 *
 * @param {Shown} shown @returns {readonly [string, string] | null} null of more rows, and where names are too long
 */
export function verdict({ file, ids, names, headline }) {
  const [first, second] = bestFirst(file, ids);
  if (ids.length !== 2) return null;
  const facts = between(file, first, second);
  const found = facts.differences.get(file.metrics[0].id);
  const [one, other] = [first, second].map((id) => names.get(id) ?? id);
  const told = facts.word === "cannot tell" ? `${one} and ${other} cannot be told apart` : sentence(facts.word, one, other);
  const sure = found?.text ? `The difference of ${found.text} in ${headline} has a 95 % interval of ${found.bounds.replaceAll("-", "−")}.` : `This is so since ${facts.reason}.`;
  return told.length > LONGEST ? null : [told, sure];
}

/** @param {string} found @param {string} first @param {string} second @returns {string} */
function sentence(found, first, second) {
  if (found === "tie") return `${first} and ${second} tie`;
  return found === "cannot tell" ? `Cannot tell ${first} from ${second}` : `${first} is ${found} of ${second}`.replace("behind of", "behind");
}

/**
 * @param {Difference} found @param {string} onBoard @param {string} headline
 * @returns {string} what is known of this pair alone, and as one of all pairs
 */
function aloneAndOnBoard(found, onBoard, headline) {
  const enough = found.word === "cannot tell" && found.tasks?.toLocaleString("en");
  const more = enough ? `; about ${enough} tasks like these would tell in 80 % of all cases` : "";
  return `${found.text} in ${headline}, 95 % interval ${found.bounds}, p ${found.p}${more}. As one of all pairs of the board: ${onBoard}`;
}

/** @param {Shown} shown @returns {{ first: Chosen, second: Chosen, facts: Facts }[]} what is known of every two */
function pairFacts({ file, ids }) {
  const pairs = pairsOf(ids.map((id, index) => ({ id, index })));
  return pairs.map(([first, second]) => ({ first, second, facts: between(file, first.id, second.id) }));
}

/**
 * Show the chosen rows as the page's own table has them, and below them how far every two lie apart.
 *
 * @param {HTMLTableElement} table  the page's own @param {Shown} shown @returns {HTMLTableElement}
 */
export function scoresTable(table, shown) {
  const head = /** @type {HTMLTableSectionElement} */ (table.tHead?.cloneNode(true));
  for (const left of head.querySelectorAll("[data-next]")) left.remove();
  const columns = [...head.querySelectorAll("th")].flatMap(({ dataset: { column: id }, firstChild }) =>
    (id ? [{ id, title: firstChild?.textContent?.trim() ?? "" }] : []));
  const rows = shown.ids.map((id, index) => {
    const row = /** @type {HTMLTableRowElement} */ (table.querySelector(`tr[data-submission="${CSS.escape(id)}"]`)?.cloneNode(true));
    for (const left of row.querySelectorAll("[data-next], .sg-pick")) left.remove();
    row.querySelector(".sg-agent")?.prepend(letter(index));
    return row;
  });
  const pairs = pairFacts(shown).map(({ first, second, facts }) => {
    const found = [...facts.differences.values()];
    const common = found.every(({ text, reason }) => !text && reason === found[0].reason) ? found[0].reason : "";
    const word = [facts.word, ...(found[0].text || facts.reason === common ? [] : [about(facts.reason)])];
    const cells = common
      ? [element("td", [GAP, about(`No differences: ${common}.`)], { colSpan: columns.length })]
      : columns.map(({ id, title }) => differenceCell(facts.differences.get(id), title));
    return element("tr", [
      element("td", [letter(first.index), "−", letter(second.index)], { className: "sg-rank" }),
      element("th", word, { scope: "row" }, { standing: facts.word }),
      ...cells,
    ], {}, { pair: `${first.id} ${second.id}` });
  });
  return element("table", [
    element("caption", "Scores of the chosen rows, and differences between them"),
    head,
    element("tbody", rows),
    element("tbody", pairs, { className: "sg-apart-rows" }),
  ], { className: table.className });
}

/** @param {Difference | undefined} difference  undefined where none are made @param {string} title  what a narrow page shows before it */
function differenceCell(difference, title) {
  if (!difference) return element("td", GAP, { className: "sg-number sg-none" }, { label: title });
  const { metric, text, bounds, word, reason } = difference;
  if (!text) return element("td", [GAP, about(reason)], { className: "sg-number" }, { label: title });
  const told = [element("span", text, { className: "sg-value" }), about(bounds), element("span", word, { className: "sg-about sg-word" })];
  return element("td", told, { className: "sg-number" }, { label: title, difference: metric, standing: word });
}

/** @param {string} text  below a figure */
function about(text) {
  return element("span", text, { className: "sg-about" });
}

/** @param {Shown} shown @returns {HTMLTableElement | null} null where no two have rounds in common */
export function countsTable(shown) {
  const rows = pairFacts(shown).flatMap(({ first, second, facts: { counts, word } }) => {
    if (!counts) return [];
    const name = [first, second].map(({ id, index }) => [letter(index), `${shown.names.get(id)}`]);
    const numbers = [counts.both, counts.onlyFirst, counts.onlySecond, counts.neither];
    return element("tr", [
      element("th", [...name[0], " and ", ...name[1]], { scope: "row" }),
      element("td", word, {}, { standing: word, label: "By the score" }),
      ...numbers.map((number, index) => element("td", String(number), { className: "sg-number" }, { label: COUNTED[index] })),
    ], {}, { pair: `${first.id} ${second.id}` });
  });
  if (!rows.length) return null;
  const heads = [
    ...["Pair", "By the score"].map((title) => element("th", title, { scope: "col" })),
    ...COUNTED.map((title) => element("th", title, { scope: "col", className: "sg-number" })),
  ];
  return element("table", [
    element("caption", "Rounds that one of two passed and the other did not"),
    element("thead", [element("tr", heads)]),
    element("tbody", rows),
  ], { className: "sg-table sg-compared" });
}

/** @param {Element} legend  the page's list of marks @returns {Map<string, Mark>} by letter */
export function readMarks(legend) {
  const items = [...legend.querySelectorAll("li")].filter((item) => item.dataset.letter);
  return new Map(items.map((item) => {
    const cell = item.querySelector("span");
    const { state = "", shade = "" } = cell?.dataset ?? {};
    return [item.dataset.letter ?? "", { state, shade, mark: cell?.textContent ?? "", words: item.dataset.words ?? "" }];
  }));
}

/**
 * Rounds of the chosen rows as small marks, task by task: where they differ, the marks have a ground.
 *
 * @param {Shown} shown @param {Around} page @param {boolean} all  whether tasks are shown, too, at which all fared alike
 * @returns {{ told: string, tables: readonly HTMLElement[] }} how many differ, in a sentence; no tables where nothing is to be shown
 */
export function roundsTable(shown, page, all) {
  const { file, ids, names } = shown;
  const reported = ids.filter((id) => !hasRounds(file, id));
  const absent = reported.map((id) => `${names.get(id)} is only reported: there are no results of its ${page.round}s here.`);
  const rows = ids.map((id, index) => ({ id, index })).filter(({ id }) => hasRounds(file, id));
  if (rows.length < 2) return { told: [...absent, `At least two rows with results are needed to compare ${page.round}s.`].join(" "), tables: [] };
  const tasks = roundsOf(file, rows.map(({ id }) => id));
  const differing = tasks.filter((line) => line.differing);
  const total = tasks.reduce((sum, line) => sum + line.rounds.length, 0);
  const many = differing.reduce((sum, line) => sum + line.differing, 0);
  const counts = many
    ? `They differ in ${many} of ${total} ${page.round}s, on ${differing.length} of ${tasks.length} tasks.`
    : `They pass and fail the same ${page.round}s, all ${total} of them.`;
  const told = [counts, ...absent].join(" ");
  const lines = all ? tasks : differing;
  if (!lines.length) return { told, tables: [] };
  const longest = Math.max(...lines.map((line) => line.rounds.length));
  const bodies = lines.map((line) => taskBody(line, rows, shown, page, longest));
  const caption = element("caption", `How each ${page.round} went, by task`);
  return { told, tables: [element("table", [caption, ...bodies], { className: "sg-heat sg-versus" })] };
}

/**
 * @param {TaskLine} line @param {readonly Chosen[]} rows @param {Shown} shown @param {Around} page @param {number} longest  rounds of the longest task
 */
function taskBody({ task, rounds, differing, passed }, rows, { file, names }, page, longest) {
  const address = `${page.base}tasks/${task.id}/`;
  const rest = longest - rounds.length;
  const filler = () => (rest ? [element("td", [], { colSpan: rest })] : []);
  const heads = rounds.map(({ number, differs }) => {
    const head = element("th", [element("a", String(number), { href: `${address}${number}/` })], { scope: "col" });
    head.toggleAttribute("data-differs", differs);
    return head;
  });
  const head = element("tr", [
    element("th", [element("a", task.title, { href: address })], { scope: "rowgroup" }),
    ...heads,
    ...filler(),
    element("td", differing ? `${differing} differ` : "alike", { className: "sg-number" }),
  ]);
  const lines = rows.map(({ id, index }, row) => {
    const run = `${page.base}${id}/${task.id}/`;
    const cells = rounds.map(({ number, letters, differs }) => {
      const { mark = "", words = "", state = "", shade = "" } = page.marks.get(letters[row]) ?? {};
      const found = marksOn(file, id, task.id, number);
      const title = [words, ...found.map((each) => `finding: ${each.title}`)].join("; ");
      const ariaLabel = `${names.get(id)}, ${task.title}, ${page.round} ${number}: ${title}`;
      const data = { cell: "", state, shade, submission: id, task: task.id, round: String(number) };
      const cell = element("a", mark, { href: `${run}#round-${number}`, className: "sg-cell", title, ariaLabel }, data);
      cell.toggleAttribute("data-differs", differs);
      if (found.length) cell.dataset.finding = found.map((each) => each.id).join(" ");
      return element("td", [cell]);
    });
    return element("tr", [
      element("th", [letter(index), element("span", names.get(id) ?? id, { className: "sg-name" })], { scope: "row" }),
      ...cells,
      ...filler(),
      element("td", [element("a", passed[row], { href: run })], { className: "sg-number" }),
    ]);
  });
  return element("tbody", [head, ...lines], {}, { task: task.id });
}
