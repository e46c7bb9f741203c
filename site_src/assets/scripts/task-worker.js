// @ts-check
/** Scores a board over a selection of tasks in a worker, so that resampling does not block the page. */

/** @import { TaskBoard, TaskFile } from "./task-board.js" */
/** @import { Selection } from "./task-selection.js" */
import { scoreSelection } from "./task-board.js";

/** @typedef {{ file: TaskFile } | { number: number, selection: Selection }} Request */
/** @typedef {{ number: number, board: TaskBoard } | { number: number, error: string }} Reply */

/** @type {TaskFile | undefined} */
let file;

addEventListener("message", ({ data }) => {
  if ("file" in data) file = data.file;
  else if (file) postMessage(reply(file, data.number, data.selection));
});

/** @param {TaskFile} scores @param {number} number @param {Selection} selection @returns {Reply} */
function reply(scores, number, selection) {
  try {
    return { number, board: scoreSelection(scores, selection) };
  } catch (error) {
    return { number, error: String(error) };
  }
}
