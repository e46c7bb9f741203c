// @ts-check
/** A board as a reader wants it: sorted, filtered, its columns chosen. The table is complete before this runs. */

import { element } from "./element.js";
import { matching } from "./filter.js";
import { chosen } from "./order.js";
import { mountParts } from "./parts.js";
import { mountPicks } from "./picks.js";
import { mountState } from "./state.js";
import { heads, inOrder, readTable, rowElements } from "./table.js";
import { mountToolbar } from "./toolbar.js";
import { shownColumns } from "./view.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").BoardValues} BoardValues */
/** @typedef {import("./view.js").View} View */

/** Rows that are seen and put in order together; a window shows fewer. */
const AT_ONCE = 40;
/** Milliseconds for which a reader's next touch comes before the rest. */
const PAUSE = 50;

/** @param {HTMLTableElement} table @param {HTMLElement | null} toolbar */
export function mountBoard(table, toolbar) {
  const board = readTable(table);
  if (!board.rows.length) return;
  const state = mountState(board.known);
  mountHeads(table, board, state);
  mountRows(table, board, state);
  mountPicks(table, board.rows, state);
  mountParts(table, board, state);
  if (toolbar) mountToolbar(toolbar, table, board, state);
}

/** @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
function mountHeads(table, { columns }, state) {
  for (const [index, head] of heads(table).entries()) {
    const { key, first } = columns[index];
    const button = head.querySelector("button");
    if (!button) continue;
    const second = button.appendChild(element("span", "", { look: "sg-unseen" }));
    button.disabled = false;
    button.addEventListener("click", (event) => {
      state.step({ sorts: chosen(state.view.sorts, key, first, event.shiftKey) });
    });
    state.follow(({ sorts: [main, other] }) => {
      head.ariaSort = main?.key === key ? main.direction : "none";
      if (other?.key === key) head.dataset.second = other.direction;
      else delete head.dataset.second;
      second.textContent = other?.key === key ? `(second, ${other.direction})` : "";
    });
  }
}

/** @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
function mountRows(table, { columns, rows }, state) {
  const elements = new Map(rowElements(table).map((row) => [row.dataset.submission, row]));
  const keys = columns.map(({ key }) => key);
  let stop = () => {};
  /** @type {View["columns"] | undefined} */
  let columnsNow;
  state.follow((view) => {
    const order = inOrder(rows, view);
    const shown = matching(order, view);
    const ids = new Set(shown.map((row) => row.id));
    for (const [id, row] of elements) row.hidden = !ids.has(id ?? "");
    stop();
    stop = arrange(table, order.flatMap((row) => elements.get(row.id) ?? []));
    if (view.columns !== columnsNow) showColumns(table, shownColumns(keys, view.columns), keys);
    columnsNow = view.columns;
  });
}

/**
 * Put rows in order: those that are seen first at once, the others of a long board when these were painted.
 *
 * @param {HTMLTableElement} table @param {readonly HTMLTableRowElement[]} rows @returns {() => void} stops what is left to do
 */
function arrange(table, rows) {
  const now = rowElements(table);
  if (rows.every((row, index) => row === now[index])) return () => {};
  const seen = rows.filter((row) => !row.hidden).slice(0, AT_ONCE).at(-1);
  const first = seen ? rows.indexOf(seen) + 1 : rows.length;
  table.tBodies[0]?.prepend(...rows.slice(0, first));
  if (first === rows.length) return () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(() => table.tBodies[0]?.append(...rows.slice(first)), PAUSE);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** @param {HTMLTableElement} table @param {ReadonlySet<string>} shown @param {readonly string[]} keys */
function showColumns(table, shown, keys) {
  for (const row of [...table.tHead?.rows ?? [], ...rowElements(table)]) {
    for (const [index, cell] of [...row.cells].entries()) cell.hidden = !shown.has(keys[index]);
  }
}
