// @ts-check
/** Which rows of a board a view shows. Pure: it sees values, never the DOM. */

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").FacetName} FacetName */

/**
 * @typedef {object} Facts  what a row is filtered by
 * @property {string} text  everything that its agent is described by
 * @property {string} date  YYYY-MM-DD
 * @property {Readonly<Record<FacetName, string>>} facets  "" where it is not stated
 */

/** What rows are filtered by, in the order of the menu. @type {ReadonlyMap<FacetName, string>} */
export const FACETS = new Map([
  ["organization", "Organisation"],
  ["scaffold", "Scaffold"],
  ["reasoning", "Reasoning"],
  ["evidence", "Evidence"],
  ["open_weights", "Open weights"],
  ["status", "Status"],
]);

/** The status of a row that stands. */
export const STANDING = "published";

/** @template {Facts} Row @param {readonly Row[]} rows @param {View} view @returns {Row[]} */
export function matching(rows, view) {
  const words = plain(view.filter).split(" ").filter(Boolean);
  return asked(rows, view).filter((row) => hasWords(row, words) && hasDay(row, view) && hasValues(row, view));
}

/**
 * Leave out the rows that do not stand any more, unless the view asks for them.
 *
 * @template {Facts} Row @param {readonly Row[]} rows @param {View} view @returns {Row[]}
 */
export function asked(rows, view) {
  const wanted = view.facets.status ?? [];
  return rows.filter(({ facets: { status } }) => status === STANDING || view.withdrawn || wanted.includes(status));
}

/**
 * Count for each value of a facet the rows that would be shown, were it the only value chosen there.
 *
 * @param {readonly Facts[]} rows
 * @param {View} view
 * @param {FacetName} name
 * @returns {Map<string, number>} values that none of the rows at hand has are left out
 */
export function counts(rows, view, name) {
  const rest = { ...view, facets: { ...view.facets, [name]: [] }, withdrawn: view.withdrawn || name === "status" };
  const found = new Map(asked(rows, rest).map((row) => [row.facets[name], 0]));
  for (const row of matching(rows, rest)) found.set(row.facets[name], (found.get(row.facets[name]) ?? 0) + 1);
  return found;
}

/** @param {View} view @returns {number} how many kinds of filters are at work, without the text */
export function filtersOf(view) {
  const facets = Object.values(view.facets).filter((values) => values.length).length;
  return facets + Number(Boolean(view.from || view.to)) + Number(view.withdrawn);
}

/** @param {Facts} row @param {readonly string[]} words */
function hasWords(row, words) {
  if (!words.length) return true;
  const text = plain(row.text);
  return words.every((word) => text.includes(word));
}

/** @param {Facts} row @param {View} view */
function hasDay(row, { from, to }) {
  return (!from || row.date >= from) && (!to || row.date <= to);
}

/** @param {Facts} row @param {View} view */
function hasValues(row, { facets }) {
  return [...FACETS.keys()].every((name) => !facets[name]?.length || facets[name].includes(row.facets[name]));
}

/** @param {string} text  so that "ml forensics" finds "ML-Forensics" */
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[\s_·-]+/g, " ");
}
