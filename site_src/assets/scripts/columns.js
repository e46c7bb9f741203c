// @ts-check
/** The menu that chooses the columns of a board. */

import { checkbox, element } from "./element.js";
import { NAMING, shownColumns } from "./view.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").Column} Column */

/**
 * Show or hide a column.
 *
 * @param {readonly string[]} keys  of all columns
 * @param {readonly string[] | null} chosen  those that are shown now
 * @param {string} key
 * @param {boolean} on
 * @returns {readonly string[] | null} null for all
 */
export function withColumn(keys, chosen, key, on) {
  const shown = shownColumns(keys, chosen);
  if (on) shown.add(key);
  else shown.delete(key);
  return shown.size === keys.length ? null : keys.filter((each) => shown.has(each));
}

/** @param {HTMLDetailsElement} menu @param {readonly Column[]} columns @param {State} state */
export function mountColumns(menu, columns, state) {
  const keys = columns.map((column) => column.key);
  const labels = columns.filter(({ key }) => key !== NAMING).map(({ key, title, part }) => {
    const about = [element("span", title), ...(part ? [element("span", part, { look: "sg-unit" })] : [])];
    return checkbox(key, about, (on) => state.step({ columns: withColumn(keys, state.view.columns, key, on) }));
  });
  const legend = element("legend", "Columns", { look: "sg-unseen" });
  menu.querySelector(".sg-panel")?.append(element("fieldset", "", { inside: [legend, ...labels] }));
  state.follow((view) => {
    const shown = shownColumns(keys, view.columns);
    for (const box of menu.querySelectorAll("input")) box.checked = shown.has(box.value);
  });
}
