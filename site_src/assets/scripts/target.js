// @ts-check
/** Opens a page at the case in its address: unfolds the elements around it, or goes to the page that contains it. */

export function mountTarget() {
  openTarget();
  addEventListener("hashchange", openTarget);
}

function openTarget() {
  const name = decodeURIComponent(location.hash.slice(1));
  const target = document.getElementById(name);
  if (target) {
    if (target instanceof HTMLInputElement && target.name.startsWith("__tabbed_")) target.checked = true;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
    if (target.matches(".sg-round")) target.querySelector("details")?.setAttribute("open", "");
    return target.scrollIntoView();
  }
  // the case does not fit on the run's page: its round has separate pages
  const pages = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("a[data-part]")]);
  const page = pages.find((link) => name.startsWith(`${link.dataset.part}-`));
  if (page) location.replace(`${page.href}${location.hash}`);
}
