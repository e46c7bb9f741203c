// @ts-check
/** Which rows a comparison shows, and how an address says so. Pure: it sees queries and values, never the DOM. */

/** Names of the rows in an address, and on the page as capital letters. */
export const SLOTS = ["a", "b", "c", "d"];

/**
 * @typedef {object} Choice
 * @property {readonly string[]} ids  rows of the board, each once
 * @property {boolean} all  whether tasks are shown, too, at which all fared alike
 * @property {readonly string[]} unknown  ids that the address asks for and the board does not have
 * @property {readonly string[]} again  ids that it asks for more than once
 */

/** @param {string} search  an address' query @param {ReadonlySet<string>} known  ids of the board's rows @returns {Choice} */
export function readChoice(search, known) {
  const query = new URLSearchParams(search);
  const asked = SLOTS.map((slot) => query.get(slot) ?? "").filter(Boolean);
  const found = asked.filter((id) => known.has(id));
  return {
    ids: [...new Set(found)],
    all: query.get("rounds") === "all",
    unknown: asked.filter((id) => !known.has(id)),
    again: found.filter((id, index) => found.indexOf(id) !== index),
  };
}

/**
 * Write a choice as the query of an address; parameters of others stay.
 *
 * @param {readonly string[]} ids
 * @param {boolean} all
 * @param {string} search  the address' query now
 * @returns {string} with its question mark, or ""
 */
export function writeChoice(ids, all, search) {
  const query = new URLSearchParams(search);
  for (const name of [...SLOTS, "rounds"]) query.delete(name);
  for (const [index, slot] of SLOTS.entries()) if (ids[index]) query.set(slot, ids[index]);
  if (all) query.set("rounds", "all");
  const text = query.toString();
  return text && `?${text}`;
}

/** @param {readonly string[]} ids @param {number} slot @param {string} id  "" for none @returns {string[]} without holes */
export function withSlot(ids, slot, id) {
  const others = SLOTS.map((_, index) => (index === slot ? id : ids[index] ?? ""));
  return others.filter((each, index) => each && (index === slot || each !== id));
}

/** @param {readonly string[]} ids @param {string} id @param {boolean} on @returns {string[]} */
export function withRow(ids, id, on) {
  const others = ids.filter((each) => each !== id);
  return on ? [...others, id].slice(0, SLOTS.length) : others;
}

/** @param {number} count  rows that are chosen @returns {number} slots that a reader is offered */
export function slotsFor(count) {
  return Math.min(SLOTS.length, Math.max(2, count + 1));
}
