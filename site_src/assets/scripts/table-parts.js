// @ts-check
/** Long tables in parts: a page has the first rows, and fetches the others on demand. */

import { button, element, rowElements } from "./element.js";

const FAILED = "The other rows could not be loaded, so nothing was sorted or filtered. Each part of the table has a page of its own, linked below it.";

/**
 * @typedef {object} Parts
 * @property {boolean} isWhole  whether all rows are in the table
 * @property {() => Promise<boolean>} load  loads the other rows into the table, once; false if that failed
 * @property {(follower: (rows: readonly HTMLTableRowElement[]) => void) => void} follow  called with the rows that are added
 */

/** A complete table. @type {Parts} */
export const WHOLE = { isWhole: true, load: async () => true, follow: () => {} };

/** @param {HTMLTableElement} table @param {HTMLElement | null} links  to the pages of its parts; null if it has all rows @returns {Parts} */
export function mountTableParts(table, links) {
  const pages = /** @type {HTMLAnchorElement[]} */ ([...links?.querySelectorAll("a[data-rows]") ?? []]);
  if (!links || !pages.length) return WHOLE;
  const notice = element("p", FAILED, { className: "sg-notice", hidden: true, role: "alert" });
  (table.closest(".sg-scroll") ?? table).before(notice);
  /** @type {((rows: readonly HTMLTableRowElement[]) => void)[]} */
  const followers = [];
  let isWhole = false;
  const fetchRows = once(async () => (await Promise.all(pages.map((page) => rowsOf(page.href)))).flat());
  const load = once(async () => {
    notice.hidden = true;
    const hasFocus = links.contains(document.activeElement);
    const rows = await fetchRows();
    isWhole = rows !== null;
    notice.hidden = isWhole;
    if (!rows) return null;
    table.tBodies[0]?.append(...rows);
    links.hidden = true;
    for (const follower of followers) follower(rows);
    if (hasFocus) rows[0]?.querySelector("a")?.focus();
    return true;
  });
  const parts = {
    get isWhole() {
      return isWhole;
    },
    load: async () => Boolean(await load()),
    follow: (/** @type {(rows: readonly HTMLTableRowElement[]) => void} */ follower) => void followers.push(follower),
  };
  const total = Number(links.dataset.total).toLocaleString("en");
  links.querySelector("p")?.append(" · ", button(`Show all ${total} rows here`, parts.load));
  fetchAtEnd(links, fetchRows);
  return parts;
}

/** Fetch the other rows when a reader reaches the end of the first rows, so that the button below responds at once. @param {Element} end @param {() => unknown} fetchRows */
function fetchAtEnd(end, fetchRows) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    fetchRows();
  });
  observer.observe(end);
}

/**
 * Run a function once; if it fails, with an error or null, the next call runs it again.
 * @template Result @param {() => Promise<Result | null>} act @returns {() => Promise<Result | null>}
 */
export function once(act) {
  /** @type {Promise<Result | null> | null} */
  let doing = null;
  return () => {
    doing ??= act()
      .catch(() => null)
      .then((result) => {
        if (result === null) doing = null;
        return result;
      });
    return doing;
  };
}

/** @param {string} address  of the page of a part @returns {Promise<HTMLTableRowElement[]>} its rows, with absolute links */
async function rowsOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const table = /** @type {HTMLTableElement | null} */ (page.querySelector("table[data-board], table[data-rows]"));
  if (!table) throw new Error(`${address} has no table`);
  const rows = rowElements(table).map((row) => document.adoptNode(row));
  for (const row of rows) {
    for (const link of row.querySelectorAll("a[href]")) link.setAttribute("href", absolute(link.getAttribute("href") ?? "", address));
  }
  return rows;
}

/** @param {string} reference  in a page @param {string} page  the page's address @returns {string} */
export function absolute(reference, page) {
  return new URL(reference, page).href;
}
