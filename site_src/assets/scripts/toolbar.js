// @ts-check
/** The line above a board: filter, order, menus, how many rows are shown, and files of them. */

import { mountColumns } from "./columns.js";
import { mountExports } from "./export.js";
import { mountFacets } from "./facets.js";
import { asked } from "./filter.js";
import { mountMenu } from "./menu.js";
import { opposite } from "./order.js";
import { shownRows } from "./table.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").BoardValues} BoardValues */

/** @param {HTMLElement} toolbar @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
export function mountToolbar(toolbar, table, board, state) {
  const [filters, columns] = ["[data-filters]", "[data-columns]"].map((name) => toolbar.querySelector(name));
  if (filters instanceof HTMLDetailsElement) mountFacets(filters, board.rows, state);
  if (columns instanceof HTMLDetailsElement) mountColumns(columns, board.columns, state);
  for (const menu of toolbar.querySelectorAll("details")) mountMenu(menu);
  mountText(toolbar, state);
  mountOrder(toolbar, board, state);
  mountCount(toolbar, board, state);
  mountExports(toolbar, table, board, state);
  toolbar.dataset.ready = "";
}

/** @param {HTMLElement} toolbar @param {State} state */
function mountText(toolbar, state) {
  const input = toolbar.querySelector("input[data-filter]");
  if (!(input instanceof HTMLInputElement)) return;
  input.addEventListener("input", () => state.typing({ filter: input.value }));
  state.follow(({ filter }) => {
    if (input.value !== filter) input.value = filter;
  });
}

/** @param {HTMLElement} toolbar @param {BoardValues} board @param {State} state */
function mountOrder(toolbar, { columns }, state) {
  const select = toolbar.querySelector("select");
  const turn = toolbar.querySelector("button[data-turn]");
  if (!select || !turn) return;
  select.addEventListener("change", () => {
    const column = columns.find(({ key }) => key === select.value);
    if (column) state.step({ sorts: [{ key: column.key, direction: column.first }] });
  });
  turn.addEventListener("click", () => {
    const sorts = state.view.sorts.slice(0, 1).map(({ key, direction }) => ({ key, direction: opposite(direction) }));
    state.step({ sorts });
  });
  state.follow(({ sorts: [sort] }) => {
    select.value = sort?.key ?? "";
    turn.textContent = sort?.direction === "ascending" ? "▲" : "▼";
    turn.ariaLabel = `${sort?.direction ?? ""}: turn the order`;
  });
}

/** @param {HTMLElement} toolbar @param {BoardValues} board @param {State} state */
function mountCount(toolbar, { rows }, state) {
  const count = toolbar.querySelector("[data-shown]");
  const reset = toolbar.querySelector("a[data-reset]");
  if (!count || !(reset instanceof HTMLAnchorElement)) return;
  reset.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.reset();
  });
  state.follow((view) => {
    const [shown, all] = [shownRows(rows, view).length, asked(rows, view).length];
    const text = `${shown ? "" : "No row matches: "}${shown} of ${all} ${all === 1 ? "row" : "rows"} shown`;
    if (count.textContent !== text) count.textContent = text;
    reset.href = state.plain;
    reset.classList.toggle("sg-away", state.isPlain);
  });
}
