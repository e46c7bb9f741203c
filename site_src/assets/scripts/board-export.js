// @ts-check
/** A view of a board as CSV and JSON: its rows and columns in order, with all digits of every number. */

/** @import { BoardValues, Column, Row, Value } from "./board-rows.js" */
/** @import { View } from "./board-view.js" */
import { inOrder, matching, valueOf } from "./board-rows.js";
import { NAMING, shownColumns } from "./board-view.js";
import { element } from "./element.js";

/** A column of the file; undefined or "" is a gap. @typedef {{ name: string, isNumber: boolean, read: (row: Row) => string | undefined }} Field */

/** Characters that start a formula in spreadsheets, in narrow and wide forms; an apostrophe marks the cell as text. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** @param {string} name @param {Field["read"]} read @returns {Field} */
const text = (name, read) => ({ name, isNumber: false, read });

/** Texts of a row that are not in its cells, by the column that shows them. @type {Readonly<Record<string, readonly Field[]>>} */
const TEXTS = {
  [NAMING]: [
    text("agent", (row) => row.agent),
    text("organization", (row) => row.facets.organization),
    text("scaffold", (row) => row.facets.scaffold),
    text("reasoning", (row) => row.facets.reasoning),
  ],
  evidence: [text("evidence", (row) => row.facets.evidence)],
  date: [text("date", (row) => row.date)],
};

/** @param {Pick<BoardValues, "columns" | "rows">} board @param {View} view @returns {Field[]} fields of the columns in the view */
export function fieldsOf({ columns, rows }, view) {
  const shown = shownColumns(columns.map(({ key }) => key), view.columns);
  return [
    text("submission", (row) => row.id),
    text("status", (row) => row.facets.status),
    ...columns.filter(({ key }) => shown.has(key)).flatMap((column) => TEXTS[column.key] ?? numbers(column, rows)),
  ];
}

/** @param {Column} column @param {readonly Row[]} rows @returns {Field[]} with a version field for scores with versions */
function numbers({ key, measure }, rows) {
  const name = measure?.axis ? `${measure.metric}.${key}` : key;
  const isVersioned = rows.some((row) => row.cells.get(key)?.version);
  return [
    { name, isNumber: true, read: (row) => row.cells.get(key)?.value },
    ...(isVersioned ? [text(`${name}.version`, (row) => row.cells.get(key)?.version)] : []),
  ];
}

/** @param {readonly Field[]} fields @param {readonly Row[]} rows @returns {string} gaps are empty */
export function csvOf(fields, rows) {
  const cells = (/** @type {Row} */ row) => fields.map(({ isNumber, read }) => {
    const cell = read(row) ?? "";
    return isNumber ? cell : cell.replace(FORMULA, "'$&");
  });
  const quoted = (/** @type {string} */ cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = [fields.map(({ name }) => name), ...rows.map(cells)];
  return lines.map((line) => `${line.map(quoted).join(",")}\n`).join("");
}

/** @param {readonly Field[]} fields @param {readonly Row[]} rows @returns {Record<string, Value>[]} gaps are null */
export function recordsOf(fields, rows) {
  return rows.map((row) => Object.fromEntries(fields.map(({ name, isNumber, read }) => [name, isNumber ? valueOf(read(row)) : read(row) || null])));
}

/** Save the rows and columns of a view as a file. @param {"csv" | "json"} kind @param {HTMLTableElement} table @param {BoardValues} board @param {View} view */
export function saveView(kind, table, board, view) {
  const fields = fieldsOf(board, view);
  const rows = matching(inOrder(board.rows, view), view);
  const title = table.caption?.textContent ?? "";
  const document = { schema: 1, title, address: location.href, rows: recordsOf(fields, rows) };
  const [type, content] = kind === "csv" ? ["text/csv", csvOf(fields, rows)] : ["application/json", `${JSON.stringify(document, null, 1)}\n`];
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", [], { href: address, download: `${table.dataset.board}.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
