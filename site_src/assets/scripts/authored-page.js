// @ts-check
/** Script of authored pages, which are complete without it. */

import { mountTarget } from "./target.js";

mountTarget();
mountCode();
mountDrawer();

/** Remove the landmarks around the buttons of code blocks, since the theme gives all of them one name; announce the buttons' messages. */
function mountCode() {
  const blocks = [...document.querySelectorAll(".highlight")];
  if (!blocks.length) return;
  document.querySelector(".md-dialog")?.setAttribute("role", "status");
  const quiet = () => {
    for (const frame of document.querySelectorAll(".md-code__nav:not([role])")) frame.setAttribute("role", "none");
  };
  const seen = new MutationObserver(quiet);
  for (const block of blocks) seen.observe(block, { childList: true, subtree: true });
  quiet();
}

/** The menu of a narrow window: its button, and keys and focus for keyboard users. */
function mountDrawer() {
  const button = document.querySelector(".sg-drawer");
  const toggle = document.getElementById("__drawer");
  const menu = document.querySelector(".md-sidebar--primary");
  if (!(button instanceof HTMLElement && toggle instanceof HTMLInputElement && menu)) return;
  button.addEventListener("click", () => toggle.click());
  toggle.addEventListener("change", () => {
    button.ariaExpanded = String(toggle.checked);
    const links = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll(".md-nav__item a")]);
    // the first visible link: an open section covers the links around it
    if (toggle.checked) links.find((link) => link.checkVisibility({ visibilityProperty: true }))?.focus();
    else if (menu.contains(document.activeElement)) button.focus();
  });
  menu.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent && event.key === "Escape" && toggle.checked) toggle.click();
  });
  document.addEventListener("focusin", ({ target }) => {
    if (toggle.checked && target instanceof Node && target !== button && !menu.contains(target)) toggle.click();
  });
}
