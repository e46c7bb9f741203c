// @ts-check
/** Lets a reader sort a board by its heads. The table is complete before this runs. */

import { ordered, valueOf } from "./order.js";

/** @typedef {import("./order.js").Direction} Direction */

/** @param {HTMLTableElement} table */
export function mountBoard(table) {
  for (const head of heads(table)) {
    const button = head.querySelector("button");
    if (!button) continue;
    button.disabled = false;
    button.addEventListener("click", () => sortBy(table, head));
  }
}

/** @param {HTMLTableElement} table @param {HTMLTableCellElement} head */
function sortBy(table, head) {
  const direction = nextDirection(head);
  for (const other of heads(table)) other.ariaSort = other === head ? direction : "none";
  const body = table.tBodies[0];
  const column = head.cellIndex;
  const rows = ordered([...body.rows], (row) => valueOf(row.cells[column]?.dataset.value), direction);
  body.append(...rows);
}

/** @param {HTMLTableCellElement} head @returns {Direction} */
function nextDirection(head) {
  if (head.ariaSort === "ascending") return "descending";
  if (head.ariaSort === "descending") return "ascending";
  return head.dataset.first === "descending" ? "descending" : "ascending";
}

/** @param {HTMLTableElement} table @returns {HTMLTableCellElement[]} */
function heads(table) {
  return [...table.tHead?.rows[0]?.cells ?? []];
}
