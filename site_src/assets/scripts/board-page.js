// @ts-check
/** What pages with a board load: other pages do without. */

import { mountBoard } from "./board.js";

const table = document.querySelector("table[data-board]");
const toolbar = document.querySelector("[data-toolbar]");
mountBoard(/** @type {HTMLTableElement} */ (table), /** @type {HTMLElement | null} */ (toolbar));
delete document.documentElement.dataset.viewing;
