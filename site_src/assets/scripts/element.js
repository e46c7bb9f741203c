// @ts-check
/** Makes elements, so that components say what they hold in one line. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} text
 * @param {{ inside?: readonly Node[], look?: string }} [more]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, text, { inside = [], look = "" } = {}) {
  const made = document.createElement(name);
  made.append(...(text ? [text] : []), ...inside);
  if (look) made.className = look;
  return made;
}

/**
 * Make a checkbox with its label.
 *
 * @param {string} value
 * @param {readonly Node[]} about  what the label says
 * @param {(on: boolean) => void} choose
 * @returns {HTMLLabelElement}
 */
export function checkbox(value, about, choose) {
  const box = document.createElement("input");
  Object.assign(box, { type: "checkbox", value, autocomplete: "off" });
  box.addEventListener("change", () => choose(box.checked));
  return element("label", "", { inside: [box, ...about] });
}
