// @ts-check
/** A view of a board as CSV and JSON: its rows and columns in order, every number with all its digits. */

import { element } from "./element.js";
import { valueOf } from "./order.js";
import { shownRows } from "./table.js";
import { NAMING, shownColumns } from "./view.js";

/** @typedef {import("./order.js").Value} Value */
/** @typedef {import("./table.js").BoardValues} BoardValues */
/** @typedef {import("./table.js").Column} Column */
/** @typedef {import("./table.js").Row} Row */
/** @typedef {import("./view.js").View} View */

/**
 * @typedef {object} Field  a column of the file
 * @property {string} name
 * @property {boolean} isNumber
 * @property {(row: Row) => string | undefined} read  undefined or "" for a gap
 */

const TYPES = { csv: "text/csv", json: "application/json" };

/** What begins a formula for a program that opens the table, in narrow and in wide forms; an apostrophe marks it as text. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** What is known of a row beside its cells, by the column that shows it. @type {Readonly<Record<string, readonly Field[]>>} */
const TEXTS = {
  [NAMING]: [
    { name: "agent", isNumber: false, read: (row) => row.agent },
    { name: "organization", isNumber: false, read: (row) => row.facets.organization },
    { name: "scaffold", isNumber: false, read: (row) => row.facets.scaffold },
    { name: "reasoning", isNumber: false, read: (row) => row.facets.reasoning },
  ],
  evidence: [{ name: "evidence", isNumber: false, read: (row) => row.facets.evidence }],
  date: [{ name: "date", isNumber: false, read: (row) => row.date }],
};

/**
 * Give the columns of a file of the rows and columns that a view shows.
 *
 * @param {Pick<BoardValues, "columns" | "rows">} board @param {View} view @returns {Field[]}
 */
export function fieldsOf({ columns, rows }, view) {
  const shown = shownColumns(columns.map(({ key }) => key), view.columns);
  return [
    { name: "submission", isNumber: false, read: (row) => row.id },
    { name: "status", isNumber: false, read: (row) => row.facets.status },
    ...columns.filter(({ key }) => shown.has(key)).flatMap((column) => TEXTS[column.key] ?? numbers(column, rows)),
  ];
}

/** @param {readonly Field[]} fields @param {readonly Row[]} rows @returns {string} gaps are empty */
export function csvOf(fields, rows) {
  const cells = (/** @type {Row} */ row) => fields.map(({ isNumber, read }) => {
    const text = read(row) ?? "";
    return isNumber ? text : text.replace(FORMULA, "'$&");
  });
  const lines = [fields.map(({ name }) => name), ...rows.map(cells)];
  return lines.map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

/** @param {readonly Field[]} fields @param {readonly Row[]} rows @returns {Record<string, Value>[]} gaps are null */
export function recordsOf(fields, rows) {
  return rows.map((row) => Object.fromEntries(fields.map(({ name, isNumber, read }) => {
    const text = read(row);
    return [name, isNumber ? valueOf(text) : text || null];
  })));
}

/**
 * Save a file of the rows and columns that a view shows.
 *
 * @param {"csv" | "json"} kind @param {HTMLTableElement} table @param {BoardValues} board @param {View} view
 */
export function saveView(kind, table, board, view) {
  const fields = fieldsOf(board, view);
  const rows = shownRows(board.rows, view);
  const title = table.caption?.textContent ?? "";
  const document = { schema: 1, title, address: location.href, rows: recordsOf(fields, rows) };
  save(`${table.dataset.board}.${kind}`, TYPES[kind], kind === "csv" ? csvOf(fields, rows) : `${JSON.stringify(document, null, 1)}\n`);
}

/** @param {Column} column @param {readonly Row[]} rows @returns {Field[]} scores that have versions say which */
function numbers({ key, measure }, rows) {
  const name = measure?.axis ? `${measure.metric}.${key}` : key;
  const found = [{ name, isNumber: true, read: (/** @type {Row} */ row) => row.cells.get(key)?.value }];
  if (!rows.some((row) => row.cells.get(key)?.version)) return found;
  return [...found, { name: `${name}.version`, isNumber: false, read: (row) => row.cells.get(key)?.version }];
}

/** @param {string} text */
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {string} name @param {string} type @param {string} text */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(element("a", ""), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
