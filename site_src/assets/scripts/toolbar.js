// @ts-check
/** The line above a board: filter, order, menus, how many rows are shown, and files of them. */

import { asked, filtersOf, matching } from "./filter.js";
import { opposite } from "./order.js";
import { shownColumns } from "./view.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").BoardValues} BoardValues */

/** @param {HTMLElement} toolbar @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
export function mountToolbar(toolbar, table, board, state) {
  mountMenus(toolbar, board, state);
  mountText(toolbar, state);
  mountOrder(toolbar, board, state);
  mountCount(toolbar, board, state);
  mountExports(toolbar, table, board, state);
  toolbar.dataset.ready = "";
}

/**
 * Say how much is chosen in each menu. What is in them is loaded when a reader turns to one.
 *
 * @param {HTMLElement} toolbar @param {BoardValues} board @param {State} state
 */
function mountMenus(toolbar, board, state) {
  const load = async () => (await import("./menus.js")).fillMenus(toolbar, board, state);
  const turnedTo = new AbortController();
  for (const menu of toolbar.querySelectorAll("details")) {
    for (const turn of ["pointerenter", "focusin", "toggle"]) {
      menu.addEventListener(turn, () => { turnedTo.abort(); load(); }, { signal: turnedTo.signal });
    }
  }
  const [filters, columns] = ["filters", "columns"].map((name) => toolbar.querySelector(`[data-${name}] [data-chosen]`));
  const keys = board.columns.map(({ key }) => key);
  state.follow((view) => {
    if (filters) filters.textContent = filtersOf(view) ? ` (${filtersOf(view)})` : "";
    if (columns) columns.textContent = view.columns ? ` (${shownColumns(keys, view.columns).size})` : "";
  });
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

/** @param {HTMLElement} toolbar @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
function mountExports(toolbar, table, board, state) {
  for (const kind of /** @type {const} */ (["csv", "json"])) {
    toolbar.querySelector(`button[data-export="${kind}"]`)?.addEventListener("click", async () => {
      const { view } = state;
      (await import("./export.js")).saveView(kind, table, board, view);
    });
  }
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
    const [shown, all] = [matching(rows, view).length, asked(rows, view).length];
    const text = `${shown ? "" : "No row matches: "}${shown} of ${all} ${all === 1 ? "row" : "rows"} shown`;
    if (count.textContent !== text) count.textContent = text;
    reset.href = state.plain;
    reset.classList.toggle("sg-away", state.isPlain);
  });
}
