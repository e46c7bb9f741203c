// @ts-check
/** The menu of a narrow window: its button, and the keys and the focus of who has no pointer. */

export function mountDrawer() {
  const button = document.querySelector(".sg-drawer");
  const toggle = document.getElementById("__drawer");
  const menu = document.querySelector(".md-sidebar--primary");
  if (!(button instanceof HTMLElement && toggle instanceof HTMLInputElement && menu)) return;
  button.addEventListener("click", () => toggle.click());
  toggle.addEventListener("change", () => {
    button.ariaExpanded = String(toggle.checked);
    if (toggle.checked) firstLink(menu)?.focus();
    else if (menu.contains(document.activeElement)) button.focus();
  });
  menu.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent && event.key === "Escape" && toggle.checked) toggle.click();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (toggle.checked && target instanceof Node && target !== button && !menu.contains(target)) toggle.click();
  });
}

/** @param {Element} menu @returns {HTMLElement | undefined} the first that is seen: an open section covers what is around it */
function firstLink(menu) {
  const links = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll(".md-nav__item a")]);
  return links.find((link) => link.checkVisibility({ visibilityProperty: true }));
}
