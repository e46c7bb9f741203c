// @ts-check
/** Leads a reader on from a former address, with the part and the view that the link named. */

const link = /** @type {HTMLAnchorElement} */ (document.querySelector("a[data-forward]"));
const target = new URL(link.href);
target.search = location.search;
target.hash = location.hash;
location.replace(target);
