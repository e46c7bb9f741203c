// @ts-check
/** The menu that filters a board's rows by what is stated of them. */

import { checkbox, element } from "./element.js";
import { FACETS, STANDING, asked, counts } from "./filter.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./table.js").Row} Row */
/** @typedef {import("./view.js").FacetName} FacetName */
/** @typedef {import("./view.js").View} View */

const NOT_STATED = "not stated";

/** @param {HTMLDetailsElement} menu @param {readonly Row[]} rows @param {State} state */
export function mountFacets(menu, rows, state) {
  const panel = menu.querySelector(".sg-panel");
  for (const [name, title] of FACETS) panel?.append(facet(name, title, rows, state));
  panel?.append(days(rows, state));
  if (rows.some((row) => row.facets.status !== STANDING)) panel?.append(retired(rows, state));
}

/**
 * Offer the values of a facet. One that has a single value tells no rows apart, and is not drawn.
 *
 * @param {FacetName} name @param {string} title @param {readonly Row[]} rows @param {State} state
 */
function facet(name, title, rows, state) {
  const values = [...new Set(rows.map((row) => row.facets[name]))].sort(byName);
  const labels = values.map((value) => {
    const about = [element("span", value || NOT_STATED), element("span", "", { look: "sg-count" })];
    return checkbox(value, about, (on) => {
      const others = (state.view.facets[name] ?? []).filter((each) => each !== value);
      state.step({ facets: { ...state.view.facets, [name]: on ? [...others, value] : others } });
    });
  });
  const made = element("fieldset", "", { inside: [element("legend", title), ...labels] });
  made.dataset.facet = name;
  state.follow((view) => {
    const found = counts(rows, view, name);
    const chosen = view.facets[name] ?? [];
    for (const [index, label] of labels.entries()) showValue(label, chosen.includes(values[index]), found.get(values[index]));
    made.hidden = found.size < 2 && !chosen.length;
  });
  return made;
}

/** @param {HTMLLabelElement} label @param {boolean} on @param {number | undefined} count  undefined where no row has the value */
function showValue(label, on, count) {
  const box = label.querySelector("input");
  if (box) box.checked = on;
  label.hidden = count === undefined && !on;
  label.classList.toggle("sg-empty", !count);
  const number = label.querySelector(".sg-count");
  if (number) number.textContent = String(count ?? 0);
}

/** @param {readonly Row[]} rows @param {State} state */
function days(rows, state) {
  const ends = /** @type {const} */ (["from", "to"]).map((name) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "date", autocomplete: "off" });
    input.addEventListener("change", () => state.step({ [name]: input.value }));
    state.follow((view) => {
      const known = asked(rows, view).map((row) => row.date).sort();
      Object.assign(input, { value: view[name], min: known[0] ?? "", max: known.at(-1) ?? "" });
    });
    return element("label", "", { inside: [element("span", name), input] });
  });
  const made = element("fieldset", "", { inside: [element("legend", "Date"), ...ends], look: "sg-days" });
  made.dataset.facet = "date";
  state.follow((view) => {
    made.hidden = new Set(asked(rows, view).map((row) => row.date)).size < 2 && !view.from && !view.to;
  });
  return made;
}

/** @param {readonly Row[]} rows @param {State} state */
function retired(rows, state) {
  const many = rows.filter((row) => row.facets.status !== STANDING).length;
  const about = [element("span", "Show withdrawn and superseded rows"), element("span", String(many), { look: "sg-count" })];
  const label = checkbox("withdrawn", about, (on) => state.step({ withdrawn: on }));
  state.follow((view) => {
    const box = label.querySelector("input");
    if (box) box.checked = view.withdrawn;
  });
  return element("fieldset", "", { inside: [element("legend", "Rows that do not stand any more"), label] });
}

/** @param {string} a @param {string} b  what is not stated comes last */
function byName(a, b) {
  return Number(!a) - Number(!b) || a.localeCompare(b, "en", { numeric: true });
}
