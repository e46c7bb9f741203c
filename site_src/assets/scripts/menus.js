// @ts-check
/** What is in the menus above a board: values to filter by, and columns to choose. */

import { mountColumns } from "./columns.js";
import { mountFacets } from "./facets.js";
import { mountMenu } from "./menu.js";

/** @param {HTMLElement} toolbar @param {import("./table.js").BoardValues} board @param {import("./state.js").State} state */
export function fillMenus(toolbar, board, state) {
  const [filters, columns] = ["[data-filters]", "[data-columns]"].map((name) => toolbar.querySelector(name));
  if (filters instanceof HTMLDetailsElement) mountFacets(filters, board.rows, state);
  if (columns instanceof HTMLDetailsElement) mountColumns(columns, board.columns, state);
  for (const menu of toolbar.querySelectorAll("details")) mountMenu(menu);
}
