/** Scores boards over some of their tasks, from a file with each board's document and selections. */

import { readFileSync } from "node:fs";

import { scoreSelection } from "../../site_src/assets/scripts/task-board.js";
import { readSelection } from "../../site_src/assets/scripts/task-selection.js";

/** @typedef {import("../../site_src/assets/scripts/task-board.js").TaskFile} TaskFile */
/** @typedef {{ file: TaskFile, selections: { tasks: string[], weights: string[] }[] }} Board */

const boards = /** @type {Board[]} */ (JSON.parse(readFileSync(process.argv[2], "utf-8")));
const scored = boards.map(({ file, selections }) => selections.map(({ tasks, weights }) => {
  const { problems, ...selection } = readSelection(tasks, weights, file.axes);
  if (problems.length) throw new Error(problems.join("; "));
  return scoreSelection(file, selection);
}));
console.log(JSON.stringify(scored));
