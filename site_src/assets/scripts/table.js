// @ts-check
/** A board's table as values, and which of its rows a view shows in which order. */

import { FACETS, STANDING, matching } from "./filter.js";
import { ordered, valueOf } from "./order.js";

/** @typedef {import("./filter.js").Facts} Facts */
/** @typedef {import("./order.js").Direction} Direction */
/** @typedef {import("./order.js").Sort} Sort */
/** @typedef {import("./view.js").FacetName} FacetName */
/** @typedef {import("./view.js").Known} Known */
/** @typedef {import("./view.js").View} View */

/**
 * @typedef {object} Column
 * @property {string} key  its name in addresses
 * @property {string} title
 * @property {string} part  unit, or part of the tasks
 * @property {Direction} first  the way that a first choice sorts
 * @property {{ metric: string, axis?: string, group?: string } | null} measure  what its scores measure
 */

/** @typedef {{ value: string | undefined, version: string | undefined }} Cell  as the page states it */
/** @typedef {Facts & { id: string, agent: string, isIncomplete: boolean, cells: ReadonlyMap<string, Cell> }} Row */
/** @typedef {{ columns: readonly Column[], rows: readonly Row[], known: Known }} BoardValues */

/** @param {HTMLTableElement} table @returns {BoardValues} */
export function readTable(table) {
  const elements = rowElements(table);
  const columns = heads(table).map((head, index) => readColumn(head, elements[0]?.cells[index]));
  const rows = elements.map((element) => readRow(element, columns));
  const sorts = heads(table).flatMap(sortOf);
  return { columns, rows, known: { columns, sorts, facets: valuesOf(rows), rows: new Set(rows.map((row) => row.id)) } };
}

/**
 * Put every row in the view's order. Rows that lack results for some tasks do not compare with others, and come last.
 *
 * @template {Pick<Row, "cells" | "isIncomplete">} Ordered
 * @param {readonly Ordered[]} rows
 * @param {Pick<View, "sorts">} view
 * @returns {Ordered[]}
 */
export function inOrder(rows, view) {
  const order = ordered(rows, view.sorts, (row, key) => valueOf(row.cells.get(key)?.value));
  return [...order.filter((row) => !row.isIncomplete), ...order.filter((row) => row.isIncomplete)];
}

/** @param {readonly Row[]} rows @param {View} view @returns {Row[]} the rows that the view shows, in its order */
export function shownRows(rows, view) {
  return matching(inOrder(rows, view), view);
}

/** @param {HTMLTableElement} table @returns {HTMLTableCellElement[]} */
export function heads(table) {
  return [...table.tHead?.rows[0]?.cells ?? []];
}

/** @param {HTMLTableElement} table @returns {HTMLTableRowElement[]} */
export function rowElements(table) {
  return [...table.tBodies[0]?.rows ?? []].filter((row) => row.dataset.submission);
}

/** @param {HTMLTableCellElement} head @returns {Sort[]} how the table comes sorted, in the head that says so */
function sortOf({ ariaSort, dataset: { column = "" } }) {
  return ariaSort === "ascending" || ariaSort === "descending" ? [{ key: column, direction: ariaSort }] : [];
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
  const { organization = "", scaffold = "", reasoning = "", model = "", openWeights = "" } = element.dataset;
  const cells = columns.map(({ key }, index) => /** @type {const} */ ([key, liveCell(element.cells[index])]));
  const agent = element.querySelector(".sg-agent a")?.textContent?.trim() ?? submission;
  return {
    id: submission,
    agent,
    isIncomplete: element.dataset.incomplete !== undefined,
    date,
    text: [agent, organization, scaffold, reasoning, model, submission].join(" "),
    facets: { organization, scaffold, reasoning, evidence, status, open_weights: openWeights },
    cells: new Map(cells),
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

/** @param {readonly Row[]} rows @returns {Map<FacetName, Set<string>>} */
function valuesOf(rows) {
  return new Map([...FACETS.keys()].map((name) => [name, new Set(rows.map((row) => row.facets[name]))]));
}
