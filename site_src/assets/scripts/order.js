// @ts-check
/** Row order for sortable tables. Pure: it sees values, never the DOM. */

/** @typedef {number | string | null} Value  null is a gap: not measured */
/** @typedef {"ascending" | "descending"} Direction */

/**
 * Sort rows by a value; gaps come last whichever way the rest is sorted.
 *
 * @template Row
 * @param {readonly Row[]} rows
 * @param {(row: Row) => Value} valueOf
 * @param {Direction} direction
 * @returns {Row[]} a new array; rows that tie keep their order
 */
export function ordered(rows, valueOf, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  return [...rows].sort((a, b) => compare(valueOf(a), valueOf(b), sign));
}

/**
 * Read a cell's value as its page states it.
 *
 * @param {string | undefined} text  the `data-value` attribute; absent or empty for a gap
 * @returns {Value}
 */
export function valueOf(text) {
  if (text === undefined || text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** @param {Value} a @param {Value} b @param {1 | -1} sign  gaps last, either way */
export function compare(a, b, sign) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}
