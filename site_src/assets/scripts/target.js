// @ts-check
/** Opens a page on the case that its address names: unfolds what is around it, or goes to the page that holds it. */

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
  // a run's page has no room for it: its round has pages of its own, one after the other
  const pages = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("a[data-part]")]);
  const page = pages.find((link) => name.startsWith(`${link.dataset.part}-`));
  if (page) location.replace(`${page.href}${location.hash}`);
}
