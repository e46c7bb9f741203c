// @ts-check
/** Opens a page on the case that its address names: unfolds what is around it, or goes to the page that holds it. */

export function mountTarget() {
  openTarget();
  addEventListener("hashchange", openTarget);
}

function openTarget() {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = document.getElementById(name);
  if (!target) return goOn(name);
  for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  target.scrollIntoView();
}

/** @param {string} name  of a case that a run's page has no room for: its round has pages of its own, one after the other */
function goOn(name) {
  const pages = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("a[data-part]")]);
  const page = pages.find((link) => name.startsWith(`${link.dataset.part}-`));
  if (page) location.replace(`${page.href}#${location.hash.slice(1)}`);
}
