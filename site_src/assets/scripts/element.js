// @ts-check
/** Functions shared by the components of pages: making and finding elements, and checkboxes for rows of a table. */

/**
 * @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {string | readonly (Node | string)[]} [inside] @param {Partial<HTMLElementTagNameMap[Name]>} [properties]
 * @param {Readonly<Record<string, string>>} [data]  its `data-` attributes @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, inside = [], properties, data) {
  const made = document.createElement(name);
  made.append(...[inside].flat().filter((child) => child !== ""));
  Object.assign(made.dataset, data);
  return Object.assign(made, properties);
}

/** @typedef {string | readonly (Node | string)[]} Inside */

/**
 * Make a table with column heads.
 * @param {string} caption @param {readonly Inside[]} heads  empty for no head row @param {readonly Node[]} rows @param {string} look  classes
 * @param {Readonly<Record<string, string>>} [data]
 */
export function tableElement(caption, heads, rows, look, data) {
  const head = element("thead", [element("tr", heads.map((each) => element("th", each, { scope: "col" })))]);
  const parts = [element("caption", caption), ...(heads.length ? [head] : []), element("tbody", rows)];
  return element("table", parts, { className: look }, data);
}

/** @param {Node} table @param {string} ariaLabel @returns {HTMLElement} a container in which a wide table scrolls */
export function scrolling(table, ariaLabel) {
  return element("div", [table], { className: "sg-scroll", role: "region", tabIndex: 0, ariaLabel });
}

/** @param {string} text @param {() => void} act @param {string} [look]  classes @returns {HTMLButtonElement} */
export function button(text, act, look = "") {
  const made = element("button", text, { type: "button" });
  if (look) made.className = look;
  made.addEventListener("click", act);
  return made;
}

/** @param {string} value @param {readonly (Node | string)[]} about  the content of its label @param {(on: boolean) => void} choose @returns {HTMLLabelElement} */
export function checkbox(value, about, choose) {
  const box = element("input", [], { type: "checkbox", value, autocomplete: "off" });
  box.addEventListener("change", () => choose(box.checked));
  return element("label", [box, ...about]);
}

/** Find a part of the page that its template must have. @template {Element} Kind @param {string} selector @param {new () => Kind} kind @param {ParentNode} [place] @returns {Kind} */
export function part(selector, kind, place = document) {
  const found = place.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page lacks ${selector}`);
  return found;
}

/** @param {HTMLTableElement} table @returns {HTMLTableRowElement[]} the rows of submissions */
export function rowElements(table) {
  return [...table.tBodies[0]?.rows ?? []].filter((row) => row.dataset.submission);
}

/**
 * Put a checkbox before each agent of a table, to select rows.
 * @param {HTMLTableElement} table @param {(id: string) => string} label @param {number} most  maximum number of selected rows @param {(id: string, on: boolean) => void} pick
 * @param {readonly HTMLTableRowElement[]} [rows]  all rows of the table by default
 * @returns {(ids: readonly string[]) => void} shows which rows are selected
 */
export function mountBoxes(table, label, most, pick, rows = rowElements(table)) {
  const boxes = rows.map((row) => {
    const id = row.dataset.submission ?? "";
    const made = checkbox(id, [element("span", label(id), { className: "sg-unseen" })], (on) => pick(id, on));
    made.className = "sg-pick";
    row.querySelector(".sg-agent")?.prepend(made);
    return part("input", HTMLInputElement, made);
  });
  return (ids) => {
    for (const box of boxes) {
      box.checked = ids.includes(box.value);
      box.disabled = !box.checked && ids.length >= most;
    }
  };
}

/** @template Item @param {readonly Item[]} items @param {Item} item @param {boolean} on @returns {Item[]} with the item at the end, or without it */
export function withItem(items, item, on) {
  const others = items.filter((each) => each !== item);
  return on ? [...others, item] : others;
}

/** Let the "Recompute" button load its code when it is pressed. */
export function mountRecompute() {
  const pressed = /** @type {HTMLButtonElement | null} */ (document.querySelector("[data-recompute]"));
  const status = pressed?.nextElementSibling;
  if (!pressed || !(status instanceof HTMLElement)) return;
  pressed.hidden = false;
  pressed.onclick = async () => (await import("./recompute.js")).tell(pressed, status);
}
