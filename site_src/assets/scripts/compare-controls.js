// @ts-check
/** How a reader chooses rows to compare: a list for each slot, and a box in each row of the page's table. */

import { SLOTS, slotsFor, withRow, withSlot } from "./compare-choice.js";
import { letter } from "./compare-tables.js";
import { checkbox, element } from "./element.js";

/** @typedef {{ id: string, name: string, place: string, stands: boolean }} Offer  a row that can be chosen */

/**
 * Offer the rows in a list for each slot.
 *
 * @param {HTMLElement} form
 * @param {readonly Offer[]} offers
 * @param {() => readonly string[]} chosen  ids that are chosen now
 * @param {(ids: readonly string[]) => void} choose
 * @returns {(ids: readonly string[]) => void} shows a choice
 */
export function mountSlots(form, offers, chosen, choose) {
  const lists = SLOTS.map((slot, index) => {
    const list = element("select", "", { inside: [new Option("–", ""), ...offers.map(option)] });
    Object.assign(list, { name: slot, autocomplete: "off" });
    list.addEventListener("change", () => choose(withSlot(chosen(), index, list.value)));
    const label = element("label", "", { inside: [element("span", "Row", { look: "sg-unseen" }), letter(index), list] });
    form.append(label);
    return { label, list };
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  return (ids) => {
    for (const [index, { label, list }] of lists.entries()) {
      label.hidden = index >= slotsFor(ids.length);
      list.disabled = index > ids.length;
      for (const each of list.options) each.disabled = each.value !== ids[index] && ids.includes(each.value);
      list.value = ids[index] ?? "";
    }
  };
}

/**
 * Put a box in each row of the page's table.
 *
 * @param {HTMLTableElement} table
 * @param {readonly Offer[]} offers
 * @param {() => readonly string[]} chosen
 * @param {(ids: readonly string[]) => void} choose
 * @returns {(ids: readonly string[]) => void} shows a choice
 */
export function mountBoxes(table, offers, chosen, choose) {
  const boxes = offers.flatMap(({ id, name }) => {
    const label = checkbox(id, [element("span", `Compare ${name}`, { look: "sg-unseen" })], (on) => choose(withRow(chosen(), id, on)));
    label.className = "sg-pick";
    table.querySelector(`tr[data-submission="${CSS.escape(id)}"] .sg-agent`)?.prepend(label);
    return label.querySelector("input") ?? [];
  });
  table.dataset.picked = "";
  return (ids) => {
    for (const box of boxes) {
      box.checked = ids.includes(box.value);
      box.disabled = !box.checked && ids.length >= SLOTS.length;
    }
  };
}

/** @param {HTMLTableElement} table  the page's table @returns {Offer[]} */
export function readOffers(table) {
  const rows = [...table.tBodies[0]?.rows ?? []].filter((row) => row.dataset.submission);
  return rows.map((row) => ({
    id: row.dataset.submission ?? "",
    name: row.dataset.name ?? "",
    place: row.querySelector(".sg-rank")?.textContent?.trim() ?? "",
    stands: row.dataset.status === "published",
  }));
}

/** @param {Offer} offer */
function option({ id, name, place, stands }) {
  return new Option(stands ? `${place} · ${name}` : name, id);
}
