// @ts-check
/** The parts of a comparison that a reader sees. Each takes values and gives elements. */

import { SLOTS } from "./compare-choice.js";
import { between, bestFirst, pairsOf } from "./compare-facts.js";
import { element } from "./element.js";

/** @typedef {import("./compare-facts.js").ComparisonFile} ComparisonFile */
/** @typedef {import("./compare-facts.js").Difference} Difference */
/** @typedef {import("./compare-facts.js").Facts} Facts */

/**
 * @typedef {object} Shown  what is compared
 * @property {ComparisonFile} file
 * @property {readonly string[]} ids
 * @property {ReadonlyMap<string, string>} names  by id
 * @property {string} headline  title of the score that ranks
 */

const GAP = "–";

/** @param {number} index @returns {HTMLElement} the letter that stands for a row */
export function letter(index) {
  return element("span", SLOTS[index].toUpperCase(), { look: "sg-letter" });
}

/** @param {Shown} shown @returns {HTMLLIElement[]} how each row stands to the next one, best first */
export function orderSentences({ file, ids, names, headline }) {
  const sorted = bestFirst(file, ids);
  return sorted.slice(1).map((second, index) => {
    const first = sorted[index];
    const facts = between(file, first, second);
    const found = facts.differences.get(file.metrics[0].id);
    const about = found?.text ? aloneAndOnBoard(found, facts.onBoard, headline) : facts.reason;
    const verdict = element("b", sentence(facts.word, names.get(first) ?? first, names.get(second) ?? second));
    const line = element("li", "", { inside: [verdict, document.createTextNode(`: ${about}.`)] });
    line.dataset.standing = facts.word;
    return line;
  });
}

/** @param {Difference} found @param {string} onBoard @param {string} headline @returns {string} what is known of this pair alone, and as one of all pairs */
function aloneAndOnBoard(found, onBoard, headline) {
  const more = found.word === "cannot tell" && found.tasks ? `; about ${found.tasks.toLocaleString("en")} tasks like these would tell in 80 % of all cases` : "";
  return `${found.text} in ${headline}, 95 % interval ${found.bounds}, p ${found.p}${more}. As one of all pairs of the board: ${onBoard}`;
}

/**
 * Show the chosen rows as the page's own table has them, and below them how far every two lie apart.
 *
 * @param {HTMLTableElement} table  the page's own table
 * @param {Shown} shown
 * @returns {HTMLTableElement}
 */
export function scoresTable(table, shown) {
  const made = element("table", "", { inside: [element("caption", "Scores of the chosen rows, and differences between them")], look: table.className });
  const head = /** @type {HTMLTableSectionElement} */ (table.tHead?.cloneNode(true));
  for (const left of head.querySelectorAll("[data-next]")) left.remove();
  const columns = [...head.querySelectorAll("th")].filter((cell) => cell.dataset.column).map((cell) => ({ id: cell.dataset.column ?? "", title: cell.firstChild?.textContent?.trim() ?? "" }));
  const rows = shown.ids.map((id, index) => {
    const row = /** @type {HTMLTableRowElement} */ (table.querySelector(`tr[data-submission="${CSS.escape(id)}"]`)?.cloneNode(true));
    for (const left of row.querySelectorAll("[data-next], .sg-pick")) left.remove();
    row.querySelector(".sg-agent")?.prepend(letter(index));
    return row;
  });
  const pairs = pairsOf(shown.ids.map((id, index) => ({ id, index }))).map(([first, second]) => {
    const facts = between(shown.file, first.id, second.id);
    const reason = commonReason(facts);
    const cells = reason ? [gapCell(reason, columns.length)] : columns.map(({ id, title }) => differenceCell(facts.differences.get(id), title));
    const row = element("tr", "", { inside: [pairHead(first.index, second.index), wordHead(facts), ...cells] });
    row.dataset.pair = `${first.id} ${second.id}`;
    return row;
  });
  made.append(head, element("tbody", "", { inside: rows }), element("tbody", "", { inside: pairs, look: "sg-apart-rows" }));
  return made;
}

/** @param {Shown} shown @returns {HTMLTableElement | null} null where no two have rounds in common */
export function countsTable({ file, ids, names }) {
  const rows = pairsOf(ids.map((id, index) => ({ id, index }))).flatMap(([first, second]) => {
    const { counts, ...facts } = between(file, first.id, second.id);
    if (!counts) return [];
    const name = element("th", "", { inside: [letter(first.index), document.createTextNode(`${names.get(first.id)} and `), letter(second.index), document.createTextNode(`${names.get(second.id)}`)] });
    name.scope = "row";
    const numbers = [counts.both, counts.onlyFirst, counts.onlySecond, counts.neither].map(String);
    const cells = numbers.map((text, index) => labelled(element("td", text, { look: "sg-number" }), COUNTED[index]));
    const row = element("tr", "", { inside: [name, labelled(word(facts, "td"), "By the score"), ...cells] });
    row.dataset.pair = `${first.id} ${second.id}`;
    return [row];
  });
  if (!rows.length) return null;
  const heads = ["Pair", "By the score", ...COUNTED].map((title, index) => {
    const head = element("th", title, { look: index > 1 ? "sg-number" : "" });
    head.scope = "col";
    return head;
  });
  return element("table", "", {
    inside: [
      element("caption", "Rounds that one of two passed and the other did not"),
      element("thead", "", { inside: [element("tr", "", { inside: heads })] }),
      element("tbody", "", { inside: rows }),
    ],
    look: "sg-table sg-compared",
  });
}

const COUNTED = ["Both passed", "Only the first", "Only the second", "Neither"];

/** @param {string} found @param {string} first @param {string} second @returns {string} */
function sentence(found, first, second) {
  if (found === "tie") return `${first} and ${second} tie`;
  return found === "cannot tell" ? `Cannot tell ${first} from ${second}` : `${first} is ${found} of ${second}`.replace("behind of", "behind");
}

/** @param {number} first @param {number} second */
function pairHead(first, second) {
  return element("td", "", { inside: [letter(first), document.createTextNode("−"), letter(second)], look: "sg-rank" });
}

/** @param {Facts} facts */
function wordHead(facts) {
  const head = word(facts, "th");
  head.scope = "row";
  const [headline] = facts.differences.values();
  if (!headline.text && facts.reason !== commonReason(facts)) head.append(element("span", facts.reason, { look: "sg-about" }));
  return head;
}

/** @param {Facts} facts @returns {string} why two rows have no differences at all, where it is the same for all; else "" */
function commonReason({ differences }) {
  const found = [...differences.values()];
  return found.every(({ text, reason }) => !text && reason === found[0].reason) ? found[0].reason : "";
}

/** @param {string} reason @param {number} columns */
function gapCell(reason, columns) {
  return Object.assign(element("td", GAP, { inside: [element("span", `No differences: ${reason}.`, { look: "sg-about" })] }), { colSpan: columns });
}

/**
 * @template {"td" | "th"} Name
 * @param {{ word: string }} facts @param {Name} name @returns {HTMLElementTagNameMap[Name]}
 */
function word(facts, name) {
  const cell = element(name, facts.word);
  cell.dataset.standing = facts.word;
  return cell;
}

/** @param {Difference | undefined} difference  undefined where none are made @param {string} title */
function differenceCell(difference, title) {
  if (!difference) return labelled(element("td", GAP, { look: "sg-number sg-none" }), title);
  if (!difference.text) return labelled(element("td", GAP, { inside: [element("span", difference.reason, { look: "sg-about" })], look: "sg-number" }), title);
  const about = [element("span", difference.bounds, { look: "sg-about" }), element("span", difference.word, { look: "sg-about sg-word" })];
  const cell = labelled(element("td", "", { inside: [element("span", difference.text, { look: "sg-value" }), ...about], look: "sg-number" }), title);
  cell.dataset.difference = difference.metric;
  cell.dataset.standing = difference.word;
  return cell;
}

/** @template {HTMLElement} Cell @param {Cell} cell @param {string} title  what a narrow page shows before it @returns {Cell} */
function labelled(cell, title) {
  cell.dataset.label = title;
  return cell;
}
