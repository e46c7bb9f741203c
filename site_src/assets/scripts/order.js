// @ts-check
/** Row order for sortable tables. Pure: it sees values, never the DOM. */

/** @typedef {number | string | null} Value  null is a gap: not measured */
/** @typedef {"ascending" | "descending"} Direction */
/** @typedef {{ key: string, direction: Direction }} Sort  a column by its name in addresses */

/**
 * Sort rows by one value or more; gaps come last whichever way the rest is sorted.
 *
 * @template Row
 * @param {readonly Row[]} rows
 * @param {readonly Sort[]} sorts  the first one counts most
 * @param {(row: Row, key: string) => Value} valueOf
 * @returns {Row[]} a new array; rows that tie keep their order
 */
export function ordered(rows, sorts, valueOf) {
  const read = rows.map((row) => ({ row, values: sorts.map(({ key }) => valueOf(row, key)) }));
  read.sort((a, b) => {
    for (const [index, { direction }] of sorts.entries()) {
      const found = compare(a.values[index] ?? null, b.values[index] ?? null, direction === "ascending" ? 1 : -1);
      if (found) return found;
    }
    return 0;
  });
  return read.map(({ row }) => row);
}

/**
 * Say how a board is sorted after a reader chose a column.
 *
 * @param {readonly Sort[]} sorts  as it is sorted now
 * @param {string} key  the column
 * @param {Direction} first  the way that a first choice of it sorts
 * @param {boolean} second  whether it is to decide where the first column ties
 * @returns {Sort[]} one or two
 */
export function chosen(sorts, key, first, second) {
  const [main, other] = sorts;
  if (!second || !main || main.key === key) {
    const turned = main?.key === key ? opposite(main.direction) : first;
    return [{ key, direction: turned }, ...(second && other ? [other] : [])];
  }
  return [main, { key, direction: other?.key === key ? opposite(other.direction) : first }];
}

/** @param {Direction} direction @returns {Direction} */
export function opposite(direction) {
  return direction === "ascending" ? "descending" : "ascending";
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
