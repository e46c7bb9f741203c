// @ts-check
/** Rounds of the chosen rows as small marks, task by task: where they differ, the marks have a ground. */

import { hasRounds, marksOn, roundsOf } from "./compare-facts.js";
import { letter } from "./compare-tables.js";
import { element } from "./element.js";

/** @typedef {import("./compare-facts.js").TaskLine} TaskLine */
/** @typedef {import("./compare-tables.js").Shown} Shown */
/** @typedef {{ state: string, shade: string, mark: string, words: string }} Mark */

/**
 * @typedef {object} Rounds
 * @property {string} told  how many differ, in a sentence
 * @property {readonly HTMLElement[]} tables  none where nothing is to be shown
 */

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
 * @param {Shown} shown
 * @param {{ base: string, round: string, marks: ReadonlyMap<string, Mark> }} page  address of the board, its word for a round, marks by letter
 * @param {boolean} all  whether tasks are shown, too, at which all fared alike
 * @returns {Rounds}
 */
export function roundsTable(shown, page, all) {
  const { file, ids, names } = shown;
  const absent = ids.filter((id) => !hasRounds(file, id)).map((id) => `${names.get(id)} is only reported: there are no results of its ${page.round}s here.`);
  const rows = ids.map((id, index) => ({ id, index })).filter(({ id }) => hasRounds(file, id));
  if (rows.length < 2) return { told: [...absent, `At least two rows with results are needed to compare ${page.round}s.`].join(" "), tables: [] };
  const tasks = roundsOf(file, rows.map(({ id }) => id));
  const differing = tasks.filter((line) => line.differing);
  const told = [countText(tasks, differing, page.round), ...absent].join(" ");
  const lines = all ? tasks : differing;
  if (!lines.length) return { told, tables: [] };
  const longest = Math.max(...lines.map((line) => line.rounds.length));
  const bodies = lines.map((line) => taskBody(line, rows, shown, page, longest));
  const caption = element("caption", `How each ${page.round} went, by task`);
  return { told, tables: [element("table", "", { inside: [caption, ...bodies], look: "sg-heat sg-versus" })] };
}

/** @param {readonly TaskLine[]} tasks @param {readonly TaskLine[]} differing @param {string} round */
function countText(tasks, differing, round) {
  const all = tasks.reduce((sum, line) => sum + line.rounds.length, 0);
  const many = differing.reduce((sum, line) => sum + line.differing, 0);
  if (!many) return `They pass and fail the same ${round}s, all ${all} of them.`;
  return `They differ in ${many} of ${all} ${round}s, on ${differing.length} of ${tasks.length} tasks.`;
}

/**
 * @param {TaskLine} line
 * @param {readonly { id: string, index: number }[]} rows
 * @param {Shown} shown
 * @param {{ base: string, round: string, marks: ReadonlyMap<string, Mark> }} page
 * @param {number} longest  rounds of the longest task
 */
function taskBody({ task, rounds, differing, passed }, rows, { file, names }, page, longest) {
  const title = element("th", "", { inside: [link(`${page.base}tasks/${task.id}/`, task.title)] });
  title.scope = "rowgroup";
  const numbers = rounds.map(({ number, differs }) => {
    const head = element("th", "", { inside: [link(`${page.base}tasks/${task.id}/${number}/`, String(number))] });
    head.scope = "col";
    head.toggleAttribute("data-differs", differs);
    return head;
  });
  const rest = longest - rounds.length;
  const filler = () => (rest ? [Object.assign(element("td", ""), { colSpan: rest })] : []);
  const heads = element("tr", "", { inside: [title, ...numbers, ...filler(), element("td", differing ? `${differing} differ` : "alike", { look: "sg-number" })] });
  const lines = rows.map(({ id, index }, row) => {
    const run = `${page.base}${id}/${task.id}/`;
    const name = element("th", "", { inside: [letter(index), element("span", names.get(id) ?? id, { look: "sg-name" })] });
    name.scope = "row";
    const cells = rounds.map(({ number, letters, differs }) => {
      const cell = markCell(page.marks.get(letters[row]), `${run}#round-${number}`, differs);
      const found = marksOn(file, id, task.id, number);
      if (found.length) cell.dataset.finding = found.map((each) => each.id).join(" ");
      cell.title = [cell.title, ...found.map(({ title: about }) => `finding: ${about}`)].join("; ");
      cell.ariaLabel = `${names.get(id)}, ${task.title}, ${page.round} ${number}: ${cell.title}`;
      Object.assign(cell.dataset, { submission: id, task: task.id, round: String(number) });
      return element("td", "", { inside: [cell] });
    });
    const sum = element("td", "", { inside: [link(run, passed[row])], look: "sg-number" });
    return element("tr", "", { inside: [name, ...cells, ...filler(), sum] });
  });
  const body = element("tbody", "", { inside: [heads, ...lines] });
  body.dataset.task = task.id;
  return body;
}

/** @param {Mark | undefined} mark @param {string} address @param {boolean} differs */
function markCell(mark, address, differs) {
  const cell = link(address, mark?.mark ?? "");
  cell.className = "sg-cell";
  cell.title = mark?.words ?? "";
  Object.assign(cell.dataset, { cell: "", state: mark?.state ?? "", shade: mark?.shade ?? "" });
  cell.toggleAttribute("data-differs", differs);
  return cell;
}

/** @param {string} address @param {string} text */
function link(address, text) {
  return Object.assign(element("a", text), { href: address });
}
