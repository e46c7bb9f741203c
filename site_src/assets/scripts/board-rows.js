// @ts-check
/** The rows of a board as values, and which of them a view shows in which order. */

/** @import { Direction, FacetName, Known, Sort, View } from "./board-view.js" */
import { rowElements } from "./element.js";

/** @typedef {number | string | null} Value  null is a gap: not measured */

/** By its name in addresses; `part` is a unit or a part of the tasks, `first` the way that a first choice sorts, `measure` what its scores measure. @typedef {{ key: string, title: string, part: string, first: Direction, measure: { metric: string, axis?: string, group?: string } | null }} Column */

/** What a row is filtered by: all that its agent is described by, YYYY-MM-DD, parameters of its model in billions, and what is "" where it is not stated. @typedef {{ text: string, date: string, parameters: number | null, facets: Readonly<Record<FacetName, string>> }} Facts */

/** @typedef {{ value: string | undefined, version: string | undefined }} Cell  as the page states it */
/** @typedef {Facts & { id: string, agent: string, isIncomplete: boolean, cells: ReadonlyMap<string, Cell> }} Row */
/** @typedef {{ columns: readonly Column[], rows: Row[], known: Known }} BoardValues */

/** What rows are filtered by, in the order of the menu. @type {ReadonlyMap<FacetName, string>} */
export const FACETS = new Map([
  ["organization", "Organisation"],
  ["scaffold", "Scaffold"],
  ["reasoning", "Reasoning"],
  ["evidence", "Evidence"],
  ["open_weights", "Open weights"],
  ["status", "Status"],
]);

/** The status of a row that stands. */
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

/** Take in rows that came into the table later; those of it stay in order. @param {BoardValues} board @param {readonly HTMLTableRowElement[]} elements */
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

/** @param {HTMLTableCellElement | undefined} cell @returns {Cell} what the page states whenever it is asked */
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

/** @param {string | undefined} text  as a page states a value: absent or empty for a gap @returns {Value} */
export function valueOf(text) {
  if (text === undefined || text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/**
 * Put every row in the view's order; rows that tie keep theirs, and gaps come last whichever way the rest is sorted.
 * Rows that lack results for some tasks do not compare with others, and come behind them all.
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

/** Leave out the rows that do not stand any more, unless the view asks for them. @template {Facts} Filtered @param {readonly Filtered[]} rows @param {View} view @returns {Filtered[]} */
export function asked(rows, view) {
  const wanted = view.facets.status ?? [];
  return rows.filter(({ facets: { status } }) => status === STANDING || view.withdrawn || wanted.includes(status));
}

/**
 * Count for each value of a facet the rows that would be shown, were it the only value chosen there.
 * @param {readonly Facts[]} rows @param {View} view @param {FacetName} name @returns {Map<string, number>} values that none of the rows at hand has are left out
 */
export function counts(rows, view, name) {
  const rest = { ...view, facets: { ...view.facets, [name]: [] }, withdrawn: view.withdrawn || name === "status" };
  const found = new Map(asked(rows, rest).map((row) => [row.facets[name], 0]));
  for (const row of matching(rows, rest)) found.set(row.facets[name], (found.get(row.facets[name]) ?? 0) + 1);
  return found;
}

/** @param {View} view @returns {number} how many kinds of filters are at work */
export function filtersOf(view) {
  const facets = Object.values(view.facets).filter((values) => values.length).length;
  return facets + Number(Boolean(view.filter)) + Number(Boolean(view.from || view.to)) + Number(Boolean(view.fewest || view.most)) + Number(view.withdrawn);
}

/** @param {string} text  so that "ml forensics" finds "ML-Forensics" */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[\s_·-]+/g, " ");
}

/** An agent as its row shows it; `rank` is null for one without. @typedef {{ agent: string, rank: number | null, rankText: string, score: string, isShown: boolean }} RankedRow */

/**
 * Return what a filtered board says first: which of the agents that it shows has the best score.
 * @param {readonly RankedRow[]} rows  of all agents @param {Direction} first  the way that the headline score sorts its better end first @returns {string}
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
