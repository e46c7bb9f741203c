// @ts-check
/** The rows of a board as values, and the rows that a view shows, in order. */

/** @import { Direction, FacetName, Known, Sort, View } from "./board-view.js" */
import { rowElements } from "./element.js";

/** @typedef {number | string | null} Value  null if not measured */

/** `key` is its name in addresses, `part` a unit or a part of the tasks, `first` the first sort direction, `measure` the metric of its scores. @typedef {{ key: string, title: string, part: string, first: Direction, measure: { metric: string, axis?: string, group?: string } | null }} Column */

/** The values that a row is filtered by: its agent's description, a date YYYY-MM-DD, parameters in billions, and facets, "" if not stated. @typedef {{ text: string, date: string, parameters: number | null, facets: Readonly<Record<FacetName, string>> }} Facts */

/** @typedef {{ value: string | undefined, version: string | undefined }} Cell  as written in the page */
/** @typedef {Facts & { id: string, agent: string, isIncomplete: boolean, cells: ReadonlyMap<string, Cell> }} Row */
/** @typedef {{ columns: readonly Column[], rows: Row[], known: Known }} BoardValues */

/** The facets that rows are filtered by, in the order of the menu. @type {ReadonlyMap<FacetName, string>} */
export const FACETS = new Map([
  ["organization", "Organization"],
  ["scaffold", "Scaffold"],
  ["reasoning", "Reasoning"],
  ["evidence", "Evidence"],
  ["open_weights", "Open weights"],
  ["status", "Status"],
]);

/** The status of a published row. */
export const STANDING = "published";

/** @param {HTMLTableElement} table @returns {BoardValues} */
export function readTable(table) {
  const elements = rowElements(table);
  const columns = heads(table).map((head, index) => readColumn(head, elements[0]?.cells[index]));
  const rows = elements.map((element) => readRow(element, columns));
  const sorts = heads(table).flatMap(({ ariaSort, dataset: { column = "" } }) =>
    ariaSort === "ascending" || ariaSort === "descending" ? [/** @type {Sort} */ ({ key: column, direction: ariaSort })] : []);
  const facets = new Map([...FACETS.keys()].map((name) => [name, new Set(rows.map((row) => row.facets[name]))]));
  return { columns, rows, known: { columns, sorts, facets, rows: new Set(rows.map((row) => row.id)), isByTask: table.dataset.taskScores !== undefined } };
}

/** Add rows that were loaded into the table later; existing rows keep their order. @param {BoardValues} board @param {readonly HTMLTableRowElement[]} elements */
export function addRows(board, elements) {
  const { columns, known } = board;
  const rows = elements.map((element) => readRow(element, columns));
  board.rows.push(...rows);
  for (const row of rows) {
    known.rows.add(row.id);
    for (const [name, values] of known.facets) values.add(row.facets[name]);
  }
}

/** @param {HTMLTableElement} table @returns {HTMLTableCellElement[]} */
export function heads(table) {
  return [...table.tHead?.rows[0]?.cells ?? []];
}

/** @param {HTMLTableCellElement} head @param {HTMLTableCellElement | undefined} cell @returns {Column} */
function readColumn(head, cell) {
  const { metric, axis, group } = cell?.dataset ?? {};
  return {
    key: head.dataset.column ?? "",
    title: head.querySelector("button")?.textContent?.trim() ?? "",
    part: head.dataset.unit ?? "",
    first: head.dataset.first === "descending" ? "descending" : "ascending",
    measure: metric ? { metric, ...(axis && group ? { axis, group } : {}) } : null,
  };
}

/** @param {HTMLTableRowElement} element @param {readonly Column[]} columns @returns {Row} */
function readRow(element, columns) {
  const { submission = "", date = "", status = STANDING, evidence = "" } = element.dataset;
  const { organization = "", scaffold = "", reasoning = "", model = "", openWeights = "", parameters } = element.dataset;
  const agent = element.querySelector(".sg-agent a")?.textContent?.trim() ?? submission;
  return {
    id: submission,
    agent,
    get isIncomplete() {
      return element.dataset.incomplete !== undefined;
    },
    date,
    parameters: parameters === undefined ? null : Number(parameters),
    text: [agent, organization, scaffold, reasoning, model, submission].join(" "),
    facets: { organization, scaffold, reasoning, evidence, status, open_weights: openWeights },
    cells: new Map(columns.map(({ key }, index) => [key, liveCell(element.cells[index])])),
  };
}

/** @param {HTMLTableCellElement | undefined} cell @returns {Cell} its values are read from the page on access */
function liveCell(cell) {
  return {
    get value() {
      return cell?.dataset.value;
    },
    get version() {
      return cell?.dataset.version;
    },
  };
}

/** @param {string | undefined} text  a value in a page; absent or empty for a gap @returns {Value} */
export function valueOf(text) {
  if (text === undefined || text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/**
 * Sort rows by the view's order; ties keep their order, and gaps come last in either direction.
 * Rows that lack results for some tasks are not comparable, and come after all others.
 * @template {Pick<Row, "cells" | "isIncomplete">} Ordered @param {readonly Ordered[]} rows @param {Pick<View, "sorts">} view @returns {Ordered[]}
 */
export function inOrder(rows, { sorts }) {
  const read = rows.map((row) => ({ row, values: sorts.map(({ key }) => valueOf(row.cells.get(key)?.value)) }));
  read.sort((a, b) => {
    if (a.row.isIncomplete !== b.row.isIncomplete) return Number(a.row.isIncomplete) - Number(b.row.isIncomplete);
    for (const [index, { direction }] of sorts.entries()) {
      const found = compared(a.values[index], b.values[index], direction === "ascending" ? 1 : -1);
      if (found) return found;
    }
    return 0;
  });
  return read.map(({ row }) => row);
}

/** @param {Value} a @param {Value} b @param {1 | -1} sign */
function compared(a, b, sign) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

/** @template {Facts} Filtered @param {readonly Filtered[]} rows @param {View} view @returns {Filtered[]} the rows that the view shows */
export function matching(rows, view) {
  const { facets, from, to, fewest, most } = view;
  const words = plain(view.filter).split(" ").filter(Boolean);
  const hasWords = (/** @type {string} */ text) => words.every((word) => text.includes(word));
  return asked(rows, view).filter((row) => {
    const isThen = (!from || row.date >= from) && (!to || row.date <= to);
    const hasSize = (!fewest && !most) || (row.parameters !== null && row.parameters >= Number(fewest) && (!most || row.parameters <= Number(most)));
    const hasValues = [...FACETS.keys()].every((name) => !facets[name]?.length || facets[name].includes(row.facets[name]));
    return isThen && hasSize && hasValues && (!words.length || hasWords(plain(row.text)));
  });
}

/** Leave out withdrawn and superseded rows, unless the view includes them. @template {Facts} Filtered @param {readonly Filtered[]} rows @param {View} view @returns {Filtered[]} */
export function asked(rows, view) {
  const wanted = view.facets.status ?? [];
  return rows.filter(({ facets: { status } }) => status === STANDING || view.withdrawn || wanted.includes(status));
}

/**
 * Count, for each value of a facet, the rows that would be shown if it were the only chosen value.
 * @param {readonly Facts[]} rows @param {View} view @param {FacetName} name @returns {Map<string, number>} values without any row are left out
 */
export function counts(rows, view, name) {
  const rest = { ...view, facets: { ...view.facets, [name]: [] }, withdrawn: view.withdrawn || name === "status" };
  const found = new Map(asked(rows, rest).map((row) => [row.facets[name], 0]));
  for (const row of matching(rows, rest)) found.set(row.facets[name], (found.get(row.facets[name]) ?? 0) + 1);
  return found;
}

/** @param {View} view @returns {number} the number of active kinds of filters */
export function filtersOf(view) {
  const facets = Object.values(view.facets).filter((values) => values.length).length;
  return facets + Number(Boolean(view.filter)) + Number(Boolean(view.from || view.to)) + Number(Boolean(view.fewest || view.most)) + Number(view.withdrawn);
}

/** @param {string} text  so that "ml forensics" finds "ML-Forensics" */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[\s_·-]+/g, " ");
}

/** An agent as shown in its row; `rank` is null without a rank. @typedef {{ agent: string, rank: number | null, rankText: string, score: string, isShown: boolean }} RankedRow */

/**
 * Return the first sentence of a filtered board: which of the shown agents has the best score.
 * @param {readonly RankedRow[]} rows  of all agents @param {Direction} first  the direction in which better headline scores come first @returns {string}
 */
export function filteredAnswer(rows, first) {
  const ranked = rows.filter(({ rank }) => rank !== null);
  const shown = rows.filter(({ isShown }) => isShown);
  const shownRanked = ranked.filter(({ isShown }) => isShown).sort((a, b) => Number(a.rank) - Number(b.rank));
  const among = `${shown.length} of ${rows.length} agents`;
  if (!shown.length) return "No agent matches the filter";
  const [best] = shownRanked;
  if (!best) return `${among} match the filter, without a rank`;
  const ofAll = `of all ${ranked.length}`;
  const rank = best.rankText.startsWith("(") ? `rank ${best.rankText.slice(1, -1)} ${ofAll} by score alone` : `rank ${best.rankText} ${ofAll}`;
  if (shown.length === 1) return `Only ${best.agent} matches the filter: ${best.score} (${rank})`;
  const extreme = first === "descending" ? "highest" : "lowest";
  const tied = shownRanked.filter((row) => row.rank === best.rank).map(({ agent }) => agent);
  if (tied.length > 2) return `Among ${among}, ${tied.length} share the ${extreme} score, ${best.score} (${rank})`;
  const verb = tied.length === 1 ? "is" : "are both";
  return `Among ${among}, ${tied.join(" and ")} ${verb} ${extreme} with ${best.score} (${rank})`;
}
