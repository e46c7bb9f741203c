// @ts-check
/** Forwards a reader from a former address, with the query and the anchor of the link. */

const link = /** @type {HTMLAnchorElement} */ (document.querySelector("a[data-forward]"));
const target = new URL(link.href);
target.search = location.search;
target.hash = location.hash;
location.replace(target);
