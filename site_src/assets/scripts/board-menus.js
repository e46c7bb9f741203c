// @ts-check
/** The menus above a board: values to filter its rows by, and columns to choose. Loaded when a menu is first used. */

/** @import { BoardValues, Column, Row } from "./board-rows.js" */
/** @import { FacetName, State } from "./board-view.js" */
import { FACETS, STANDING, asked, counts } from "./board-rows.js";
import { NAMING, opposite, shownColumns } from "./board-view.js";
import { button, checkbox, element, part, withItem } from "./element.js";

const NOT_STATED = "not stated";

/** @param {HTMLElement} toolbar @param {BoardValues} board @param {State} state */
export function fillMenus(toolbar, { rows, columns }, state) {
  const facets = [...FACETS].map(([name, title]) => facet(name, title, rows, state));
  part("[data-filters] .sg-panel", HTMLElement, toolbar).append(words(state), ...kinds(columns, state), ...facets, sizes(rows, state), days(rows, state), ...retired(rows, state));
  part("[data-columns] .sg-panel", HTMLElement, toolbar).append(order(columns, state), columnBoxes(columns, state));
  for (const menu of toolbar.querySelectorAll("details")) if (!menu.matches("[data-tasks]")) mountMenu(menu);
}

/** Close a menu on Escape, and when something else is used. @param {HTMLDetailsElement} menu */
export function mountMenu(menu) {
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) menu.open = false;
  });
}

/** @param {State} state */
function words(state) {
  const input = element("input", [], { type: "search", autocomplete: "off", ariaLabel: "Filter by agent, organization or set-up" }, { filter: "" });
  input.addEventListener("input", () => state.typing({ filter: input.value }));
  state.follow(({ filter }) => {
    if (input.value !== filter) input.value = filter;
  });
  return element("fieldset", [element("legend", "Words"), input]);
}

/**
 * Offer to sort the board by its scores on tasks of one kind.
 * @param {readonly Column[]} columns @param {State} state @returns {HTMLElement[]} empty if scores are not split
 */
function kinds(columns, state) {
  const parts = columns.filter(({ measure }) => measure?.axis);
  const select = element("select", [new Option("all", ""), ...parts.map(({ key, title, part: unit }) => new Option(`${title} (${unit})`, key))], { ariaLabel: "Tasks", autocomplete: "off" });
  select.addEventListener("change", () => {
    const chosen = parts.find(({ key }) => key === select.value);
    state.step({ sorts: chosen ? [{ key: chosen.key, direction: chosen.first }] : state.known.sorts });
  });
  state.follow(({ sorts: [sort] }) => {
    select.value = parts.some(({ key }) => key === sort?.key) ? sort.key : "";
  });
  return parts.length ? [element("fieldset", [element("legend", "Tasks"), select])] : [];
}

/** Offer to sort rows, for windows that show no column heads. @param {readonly Column[]} columns @param {State} state */
function order(columns, state) {
  const options = columns.map(({ key, title, measure, part: unit }) => new Option(measure?.axis ? `${title} (${unit})` : title, key));
  const select = element("select", options, { ariaLabel: "Sort by", autocomplete: "off" });
  const turn = button("", () => {
    state.step({ sorts: state.view.sorts.slice(0, 1).map(({ key, direction }) => ({ key, direction: opposite(direction) })) });
  });
  select.addEventListener("change", () => {
    const { key, first } = columns[select.selectedIndex];
    state.step({ sorts: [{ key, direction: first }] });
  });
  state.follow(({ sorts: [sort] }) => {
    select.value = sort?.key ?? "";
    turn.textContent = sort?.direction === "ascending" ? "▲" : "▼";
    turn.ariaLabel = `${sort?.direction ?? ""}: reverse the order`;
  });
  return element("fieldset", [element("legend", "Sort by"), select, turn], { className: "sg-sorting" });
}

/**
 * Offer the values of a facet. A facet with a single value cannot filter rows, and is not shown.
 * @param {FacetName} name @param {string} title @param {readonly Row[]} rows @param {State} state
 */
function facet(name, title, rows, state) {
  const values = [...new Set(rows.map((row) => row.facets[name]))];
  values.sort((a, b) => Number(!a) - Number(!b) || a.localeCompare(b, "en", { numeric: true })); // values that are not stated come last
  const offers = values.map((value) => {
    const count = element("span", [], { className: "sg-count" });
    const label = checkbox(value, [element("span", value || NOT_STATED), count], (on) => {
      state.step({ facets: { ...state.view.facets, [name]: withItem(state.view.facets[name] ?? [], value, on) } });
    });
    return { value, count, label, box: part("input", HTMLInputElement, label) };
  });
  const made = element("fieldset", [element("legend", title), ...offers.map(({ label }) => label)], {}, { facet: name });
  state.follow((view) => {
    const found = counts(rows, view, name);
    const chosen = view.facets[name] ?? [];
    for (const { value, count, label, box } of offers) {
      box.checked = chosen.includes(value);
      label.hidden = !found.has(value) && !box.checked;
      label.classList.toggle("sg-empty", !found.get(value));
      count.textContent = String(found.get(value) ?? 0);
    }
    made.hidden = found.size < 2 && !chosen.length;
  });
  return made;
}

/**
 * Offer the sizes of models. Rows without a size match neither limit.
 * @param {readonly Row[]} rows @param {State} state
 */
function sizes(rows, state) {
  const ends = /** @type {const} */ (["fewest", "most"]).map((name) => {
    const input = element("input", [], { type: "number", min: "0", step: "any", autocomplete: "off" });
    input.addEventListener("change", () => state.step({ [name]: input.value }));
    return { name, input };
  });
  const labels = ends.map(({ name, input }) => element("label", [element("span", name === "fewest" ? "from" : "to"), input]));
  const made = element("fieldset", [element("legend", "Parameters (billions)"), ...labels], { className: "sg-days" }, { facet: "parameters" });
  state.follow((view) => {
    const stated = new Set(asked(rows, view).map((row) => row.parameters).filter((size) => size !== null));
    for (const { name, input } of ends) input.value = view[name];
    made.hidden = stated.size < 2 && !view.fewest && !view.most;
  });
  return made;
}

/** @param {readonly Row[]} rows @param {State} state */
function days(rows, state) {
  const ends = /** @type {const} */ (["from", "to"]).map((name) => {
    const input = element("input", [], { type: "date", autocomplete: "off" });
    input.addEventListener("change", () => state.step({ [name]: input.value }));
    return { name, input };
  });
  const labels = ends.map(({ name, input }) => element("label", [element("span", name), input]));
  const made = element("fieldset", [element("legend", "Date"), ...labels], { className: "sg-days" }, { facet: "date" });
  state.follow((view) => {
    const known = asked(rows, view).map((row) => row.date).sort();
    for (const { name, input } of ends) Object.assign(input, { value: view[name], min: known[0] ?? "", max: known.at(-1) ?? "" });
    made.hidden = known[0] === known.at(-1) && !view.from && !view.to;
  });
  return made;
}

/** @param {readonly Row[]} rows @param {State} state @returns {HTMLElement[]} empty if all rows are published */
function retired(rows, state) {
  const many = rows.filter((row) => row.facets.status !== STANDING).length;
  if (!many) return [];
  const about = [element("span", "Show withdrawn and superseded agents"), element("span", String(many), { className: "sg-count" })];
  const label = checkbox("withdrawn", about, (on) => state.step({ withdrawn: on }));
  const box = part("input", HTMLInputElement, label);
  state.follow((view) => {
    box.checked = view.withdrawn;
  });
  return [element("fieldset", [element("legend", "Withdrawn and superseded"), label])];
}

/** @param {readonly Column[]} columns @param {State} state */
function columnBoxes(columns, state) {
  const keys = columns.map(({ key }) => key);
  const labels = columns.filter(({ key }) => key !== NAMING).map(({ key, title, part: unit }) => {
    const about = [element("span", title), ...(unit ? [element("span", unit, { className: "sg-unit" })] : [])];
    return checkbox(key, about, (on) => state.step({ columns: withColumn(keys, state.view.columns, key, on) }));
  });
  const boxes = labels.map((label) => part("input", HTMLInputElement, label));
  state.follow((view) => {
    const shown = shownColumns(keys, view.columns);
    for (const box of boxes) box.checked = shown.has(box.value);
  });
  return element("fieldset", [element("legend", "Columns", { className: "sg-unseen" }), ...labels]);
}

/**
 * @param {readonly string[]} keys  of all columns @param {readonly string[] | null} chosen  the keys shown now @param {string} key @param {boolean} on
 * @returns {readonly string[] | null} null for all
 */
export function withColumn(keys, chosen, key, on) {
  const shown = shownColumns(keys, chosen);
  if (on) shown.add(key);
  else shown.delete(key);
  return shown.size === keys.length ? null : keys.filter((each) => shown.has(each));
}
