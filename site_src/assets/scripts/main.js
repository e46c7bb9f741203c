// @ts-check
/** Mounts what a page has. Every page is complete without it. */

import { mountBoard } from "./board.js";
import { openTarget } from "./target.js";

for (const table of document.querySelectorAll("table[data-board]")) {
  mountBoard(/** @type {HTMLTableElement} */ (table));
}
openTarget();
addEventListener("hashchange", openTarget);
