// @ts-check
/** Rows that a reader picks to compare, and the bar that leads to the comparison. */

import { checkbox, element } from "./element.js";
import { rowElements } from "./table.js";
import { MOST_PICKS } from "./view.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").Row} Row */
/** @typedef {Pick<Row, "id" | "agent"> & { facets: Pick<Row["facets"], "scaffold" | "reasoning"> }} Named  what a row is named by */

const LETTERS = "abcd";

/** @param {string} page  where rows are compared @param {readonly string[]} picks @returns {string} */
export function comparison(page, picks) {
  const query = new URLSearchParams(picks.map((id, index) => [LETTERS[index] ?? "", id]));
  return `${page}?${query}`;
}

/**
 * Name rows so that a reader can tell them apart.
 *
 * @param {readonly Named[]} rows @returns {Map<string, string>} by id
 */
export function namesOf(rows) {
  return new Map(rows.map((row) => {
    const isAlone = rows.every((other) => other === row || other.agent !== row.agent);
    const about = [row.facets.scaffold, row.facets.reasoning].filter(Boolean).join(", ") || row.id;
    return [row.id, isAlone ? row.agent : `${row.agent} (${about})`];
  }));
}

/**
 * Let a reader pick rows, on a board that says where they are compared.
 *
 * @param {HTMLTableElement} table @param {readonly Row[]} rows @param {State} state
 */
export function mountPicks(table, rows, state) {
  const page = table.dataset.compare;
  if (!page) return;
  const names = namesOf(rows);
  const boxes = rowElements(table).flatMap((row) => pickBox(row, names, state) ?? []);
  const told = element("span", "");
  const go = element("a", "Compare", { look: "sg-go" });
  const clear = Object.assign(element("button", "Clear"), { type: "button" });
  clear.addEventListener("click", () => state.step({ picks: [] }));
  const bar = element("div", "", { inside: [told, go, clear], look: "sg-picked" });
  bar.setAttribute("role", "region");
  bar.ariaLabel = "Rows to compare";
  (table.closest(".sg-scroll") ?? table).after(bar);
  state.follow(({ picks }) => {
    for (const box of boxes) {
      box.checked = picks.includes(box.value);
      box.disabled = !box.checked && picks.length >= MOST_PICKS;
    }
    bar.hidden = !picks.length;
    go.hidden = picks.length < 2;
    go.href = comparison(page, picks);
    told.textContent = picks.map((id) => names.get(id) ?? id).join(", ") + (picks.length < 2 ? ": pick one more to compare" : "");
  });
}

/** @param {HTMLTableRowElement} row @param {ReadonlyMap<string, string>} names @param {State} state */
function pickBox(row, names, state) {
  const id = row.dataset.submission ?? "";
  const label = checkbox(id, [element("span", `Pick ${names.get(id)} to compare`, { look: "sg-unseen" })], (on) => {
    const others = state.view.picks.filter((each) => each !== id);
    state.step({ picks: on ? [...others, id] : others });
  });
  label.className = "sg-pick";
  row.querySelector(".sg-agent")?.prepend(label);
  return label.querySelector("input");
}
