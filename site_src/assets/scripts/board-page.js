// @ts-check
/** What pages with a board load: other pages do without. */

import { mountBoard } from "./board.js";

const day = new URLSearchParams(location.search).get("release");
const released = /** @type {HTMLAnchorElement | null} */ (day && document.querySelector(`a[data-release="${CSS.escape(day)}"]`));
if (released) {
  location.replace(released.href); // a board that was released has a page of its own
} else {
  const table = document.querySelector("table[data-board]");
  const toolbar = document.querySelector("[data-toolbar]");
  mountBoard(/** @type {HTMLTableElement} */ (table), /** @type {HTMLElement | null} */ (toolbar));
  delete document.documentElement.dataset.viewing;
}
