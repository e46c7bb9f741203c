// @ts-check
/** In a narrow window a row's scores by part of the tasks open below it when a reader asks. */

import { element } from "./element.js";
import { rowElements } from "./table.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").BoardValues} BoardValues */

/** The width below which the styles fold these scores. */
const NARROW = "(max-width: 44.9375em)";

/**
 * Let a reader open rows; those of a view that is about such scores are open.
 *
 * @param {HTMLTableElement} table @param {BoardValues} board @param {State} state
 */
export function mountParts(table, { columns, rows }, state) {
  const parts = new Set(columns.filter(({ measure }) => measure?.axis).map(({ key }) => key));
  if (!parts.size) return;
  state.follow(({ sorts: [sort], columns: chosen }) => {
    table.classList.toggle("sg-opened", chosen !== null || parts.has(sort?.key ?? ""));
  });
  const names = new Map(rows.map(({ id, agent }) => [id, agent]));
  const narrow = matchMedia(NARROW);
  const mount = () => {
    for (const row of rowElements(table)) row.cells[0]?.append(opener(row, names.get(row.dataset.submission ?? "") ?? ""));
  };
  if (narrow.matches) mount();
  else narrow.addEventListener("change", mount, { once: true });
}

/** @param {HTMLTableRowElement} row @param {string} agent */
function opener(row, agent) {
  const button = Object.assign(element("button", "▾", { look: "sg-opener" }), { type: "button", ariaExpanded: "false" });
  button.ariaLabel = `${agent}: scores by part of the tasks`;
  button.addEventListener("click", () => {
    const isOpen = row.classList.toggle("sg-opened");
    button.ariaExpanded = String(isOpen);
    button.textContent = isOpen ? "▴" : "▾";
  });
  return button;
}
