// @ts-check
/** What a reader sees of a board, and how an address says so. Pure: it sees queries and values, never the DOM. */

/** @typedef {import("./order.js").Direction} Direction */
/** @typedef {import("./order.js").Sort} Sort */
/** @typedef {"organization" | "scaffold" | "reasoning" | "evidence" | "status" | "open_weights"} FacetName */

/**
 * @typedef {object} View
 * @property {readonly Sort[]} sorts  one or two
 * @property {string} filter  words that a row must have
 * @property {Readonly<Partial<Record<FacetName, readonly string[]>>>} facets  values of which a row must have one
 * @property {string} from  first day, or ""
 * @property {string} to  last day, or ""
 * @property {readonly string[] | null} columns  keys of the columns that are shown; null for all
 * @property {boolean} withdrawn  whether rows are shown that do not stand any more
 * @property {readonly string[]} picks  rows to compare
 */

/**
 * @typedef {object} Known  what a board has, so that an address can't ask for more
 * @property {readonly { key: string, first: Direction }[]} columns
 * @property {readonly Sort[]} sorts  how it comes sorted
 * @property {ReadonlyMap<FacetName, ReadonlySet<string>>} facets  values of its rows
 * @property {ReadonlySet<string>} rows  ids
 */

/** How many rows can be compared. */
export const MOST_PICKS = 4;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Parameters of views; the theme's search has taken `q` and `h`. */
const OWN = ["sort", "filter", "from", "to", "columns", "withdrawn", "pick"];

/** The column that names a row: it is always shown. */
export const NAMING = "agent";

/** @param {readonly string[]} keys  of all columns @param {View["columns"]} chosen @returns {Set<string>} */
export function shownColumns(keys, chosen) {
  return new Set(chosen ? [NAMING, ...chosen] : keys);
}

/** @param {Known} known @returns {View} what a reader sees who asked for nothing */
export function plainView(known) {
  return { sorts: known.sorts, filter: "", facets: {}, from: "", to: "", columns: null, withdrawn: false, picks: [] };
}

/**
 * Read the view that an address asks for; what the board does not have, or not any more, is ignored.
 *
 * @param {string} search  the address' query
 * @param {Known} known
 * @returns {View}
 */
export function readView(search, known) {
  const query = new URLSearchParams(search);
  /** @type {Partial<Record<FacetName, readonly string[]>>} */
  const facets = {};
  for (const [name, values] of known.facets) {
    const found = unique(query.getAll(name)).filter((value) => values.has(value));
    if (found.length) facets[name] = found;
  }
  const columns = known.columns.map((column) => column.key).filter((key) => list(query, "columns").includes(key));
  return {
    sorts: readSorts(list(query, "sort"), known),
    filter: query.get("filter") ?? "",
    facets,
    from: day(query.get("from")),
    to: day(query.get("to")),
    columns: columns.length ? columns : null,
    withdrawn: query.get("withdrawn") === "1",
    picks: list(query, "pick").filter((id) => known.rows.has(id)).slice(0, MOST_PICKS),
  };
}

/**
 * Write a view as the query of an address: defaults leave no trace, and parameters of others stay.
 *
 * @param {View} view
 * @param {Known} known
 * @param {string} search  the address' query now
 * @returns {string} with its question mark, or ""
 */
export function writeView(view, known, search) {
  const query = new URLSearchParams(search);
  for (const name of [...OWN, ...known.facets.keys()]) query.delete(name);
  if (sortText(view.sorts) !== sortText(known.sorts)) query.set("sort", sortText(view.sorts));
  if (view.filter.trim()) query.set("filter", view.filter.trim());
  for (const name of known.facets.keys()) {
    for (const value of view.facets[name] ?? []) query.append(name, value);
  }
  if (view.from) query.set("from", view.from);
  if (view.to) query.set("to", view.to);
  if (view.columns) query.set("columns", view.columns.join(","));
  if (view.withdrawn) query.set("withdrawn", "1");
  if (view.picks.length) query.set("pick", view.picks.join(","));
  const text = query.toString().replaceAll("%2C", ",");
  return text && `?${text}`;
}

/** @param {readonly string[]} names @param {Known} known @returns {readonly Sort[]} */
function readSorts(names, known) {
  /** @type {Sort[]} */
  const sorts = [];
  for (const name of names) {
    const key = name.replace(/^-/, "");
    if (!known.columns.some((column) => column.key === key) || sorts.some((sort) => sort.key === key)) continue;
    sorts.push({ key, direction: name.startsWith("-") ? "descending" : "ascending" });
  }
  return sorts.length ? sorts.slice(0, 2) : known.sorts;
}

/** @param {readonly Sort[]} sorts */
function sortText(sorts) {
  return sorts.map(({ key, direction }) => (direction === "descending" ? `-${key}` : key)).join(",");
}

/** @param {URLSearchParams} query @param {string} name */
function list(query, name) {
  return unique((query.get(name) ?? "").split(",").filter(Boolean));
}

/** @param {string[]} values */
function unique(values) {
  return [...new Set(values)];
}

/** @param {string | null} text */
function day(text) {
  return text && DAY.test(text) ? text : "";
}
