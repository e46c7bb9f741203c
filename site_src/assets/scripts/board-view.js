// @ts-check
/** The view of a board. It is stored in the page's address, so that back, forward and copied links restore it. */

/** @import { Parts } from "./table-parts.js" */
import { WHOLE } from "./table-parts.js";

/** @typedef {"ascending" | "descending"} Direction */
/** @typedef {{ key: string, direction: Direction }} Sort  a column by its key in addresses */
/** @typedef {"organization" | "scaffold" | "reasoning" | "evidence" | "status" | "open_weights"} FacetName */

/**
 * @typedef {object} View
 * @property {readonly Sort[]} sorts  one or two
 * @property {string} filter  words that a row must contain
 * @property {Readonly<Partial<Record<FacetName, readonly string[]>>>} facets  the accepted values of each facet
 * @property {string} from  first day, or ""
 * @property {string} to  last day, or ""
 * @property {string} fewest  minimum parameters of the model in billions, or ""
 * @property {string} most  maximum parameters of the model in billions, or ""
 * @property {readonly string[] | null} columns  keys of the columns that are shown; null for all
 * @property {boolean} withdrawn  whether withdrawn and superseded rows are shown
 * @property {readonly string[]} picks  rows to compare
 * @property {readonly string[]} tasks  filters of tasks that the board is scored over: AXIS:VALUE,VALUE
 * @property {readonly string[]} weights  a reader's own weights of tasks: AXIS:VALUE:NUMBER
 */

/**
 * @typedef {object} Known  the contents of a board, which limit what an address can request
 * @property {readonly { key: string, first: Direction }[]} columns
 * @property {readonly Sort[]} sorts  the initial order
 * @property {ReadonlyMap<FacetName, Set<string>>} facets  values of its rows
 * @property {Set<string>} rows  ids
 * @property {boolean} isByTask  whether the board can be scored over some of its tasks
 */

/**
 * @typedef {object} State
 * @property {View} view
 * @property {Known} known
 * @property {(change: Partial<View>) => void} step  changes the view; the back button undoes it
 * @property {(change: Partial<View>) => void} typing  changes the view; the back button skips it
 * @property {(follower: (view: View) => void) => void} follow  calls the follower with the view, now and after each change
 * @property {() => void} reread  shows the view of the address, after rows were added
 * @property {() => void} refresh  calls followers again, after the board's values changed
 * @property {() => void} reset  goes to the default view; the back button undoes it
 * @property {string} plain  the address of the default view
 * @property {boolean} isPlain  whether the default view is shown
 */

/** Maximum number of rows that can be compared. */
export const MOST_PICKS = 4;

const NUMBER = /^\d{1,6}(\.\d{1,3})?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Parameters of views; the theme's search uses `q` and `h`. */
const OWN = ["sort", "filter", "from", "to", "fewest", "most", "columns", "withdrawn", "pick", "tasks", "weight"];

/** The column with the row's name, which is always shown. */
export const NAMING = "agent";

/** @param {readonly string[]} keys  of all columns @param {View["columns"]} chosen @returns {Set<string>} */
export function shownColumns(keys, chosen) {
  return new Set(chosen ? [NAMING, ...chosen] : keys);
}

/** @param {Known} known @returns {View} the default view */
export function plainView(known) {
  return { sorts: known.sorts, filter: "", facets: {}, from: "", to: "", fewest: "", most: "", columns: null, withdrawn: false, picks: [], tasks: [], weights: [] };
}

/** Read the view in an address; values that the board does not have are ignored. @param {string} search  the query of the address @param {Known} known @returns {View} */
export function readView(search, known) {
  const query = new URLSearchParams(search);
  const list = (/** @type {string} */ name) => [...new Set((query.get(name) ?? "").split(",").filter(Boolean))];
  const day = (/** @type {string} */ name) => DAY.exec(query.get(name) ?? "")?.[0] ?? "";
  const number = (/** @type {string} */ name) => NUMBER.exec(query.get(name) ?? "")?.[0] ?? "";
  /** @type {Partial<Record<FacetName, readonly string[]>>} */
  const facets = {};
  for (const [name, values] of known.facets) {
    const found = [...new Set(query.getAll(name))].filter((value) => values.has(value));
    if (found.length) facets[name] = found;
  }
  const keys = known.columns.map(({ key }) => key);
  const columns = keys.filter((key) => list("columns").includes(key));
  /** @type {Map<string, Sort>} */
  const sorts = new Map();
  for (const name of list("sort")) {
    const key = name.replace(/^-/, "");
    if (keys.includes(key) && !sorts.has(key)) sorts.set(key, { key, direction: name === key ? "ascending" : "descending" });
  }
  return {
    sorts: sorts.size ? [...sorts.values()].slice(0, 2) : known.sorts,
    filter: query.get("filter") ?? "",
    facets,
    from: day("from"),
    to: day("to"),
    fewest: number("fewest"),
    most: number("most"),
    columns: columns.length ? columns : null,
    withdrawn: query.get("withdrawn") === "1",
    tasks: known.isByTask ? query.getAll("tasks").filter(Boolean) : [],
    weights: known.isByTask ? query.getAll("weight").filter(Boolean) : [],
    picks: list("pick").filter((id) => known.rows.has(id)).slice(0, MOST_PICKS),
  };
}

/**
 * Write a view as the query of an address: defaults are left out, and unrelated parameters are kept.
 * @param {View} view @param {Known} known @param {string} search  the current query @returns {string} with its question mark, or ""
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
  if (view.fewest) query.set("fewest", view.fewest);
  if (view.most) query.set("most", view.most);
  if (view.columns) query.set("columns", view.columns.join(","));
  if (view.withdrawn) query.set("withdrawn", "1");
  if (view.picks.length) query.set("pick", view.picks.join(","));
  for (const filter of view.tasks) query.append("tasks", filter);
  for (const weight of view.weights) query.append("weight", weight);
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text && `?${text}`;
}

/** @param {string} search  the query of an address @param {Known} known @returns {boolean} whether it sets more than columns, so that all rows are needed */
export function needsAllRows(search, known) {
  const query = new URLSearchParams(search);
  return [...OWN, ...known.facets.keys()].some((name) => name !== "columns" && query.has(name));
}

/** @param {readonly Sort[]} sorts */
function sortText(sorts) {
  return sorts.map(({ key, direction }) => (direction === "descending" ? `-${key}` : key)).join(",");
}

/**
 * Return how a board is sorted after a column was chosen.
 * @param {readonly Sort[]} sorts  the current order @param {string} key  the column @param {Direction} first  its first sort direction
 * @param {boolean} second  whether it sorts ties of the first column @returns {Sort[]} one or two
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

/** @param {Known} known @param {Pick<Parts, "isWhole" | "load">} [parts]  of a long board: all are loaded before a view that needs all rows @returns {State} */
export function mountState(known, parts = WHOLE) {
  let view = readView(location.search, known);
  /** @type {((view: View) => void)[]} */
  const followers = [];
  const show = (/** @type {View} */ next) => {
    view = next;
    for (const follower of followers) follower(view);
  };
  const address = (/** @type {View} */ asked) => location.pathname + writeView(asked, known, location.search) + location.hash;
  /** Act at once if all needed rows are loaded. @param {View} next @param {() => void} act */
  const withRows = (next, act) => {
    if (parts.isWhole || !needsAllRows(writeView({ ...next, picks: [] }, known, ""), known)) act();
    else parts.load().then((isLoaded) => isLoaded && act());
  };
  const step = (/** @type {Partial<View>} */ change) => withRows({ ...view, ...change }, () => {
    show({ ...view, ...change });
    const { pathname, search, hash } = location;
    if (address(view) !== pathname + search + hash) history.pushState(null, "", address(view));
  });
  const reread = () => show(readView(location.search, known));
  addEventListener("popstate", reread);
  return {
    known,
    get view() {
      return view;
    },
    get plain() {
      return address(plainView(known));
    },
    get isPlain() {
      return address(view) === address(plainView(known));
    },
    step,
    reread,
    refresh: () => show(view),
    reset: () => step(plainView(known)),
    typing(change) {
      withRows({ ...view, ...change }, () => {
        show({ ...view, ...change });
        history.replaceState(null, "", address(view));
      });
    },
    follow(follower) {
      followers.push(follower);
      follower(view);
    },
  };
}
