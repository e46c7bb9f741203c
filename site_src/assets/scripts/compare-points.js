// @ts-check
/** What each task adds to the difference of two rows: bars about one line, beside the rounds of both. */

/** @import { Shown } from "./compare-tables.js" */
import { SLOTS, pointsOf, signed } from "./compare-facts.js";
import { letter } from "./compare-tables.js";
import { element } from "./element.js";

/**
 * @param {Shown} shown @param {string} base  address of the board
 * @returns {HTMLElement[]} the first row against each of the others, as far as tasks tell
 */
export function pointsTables(shown, base) {
  const [first, ...others] = shown.ids;
  return others.flatMap((second, index) => pairTable(shown, base, first, second, index + 1));
}

/** @param {Shown} shown @param {string} base @param {string} first @param {string} second @param {number} place  of the second among the rows */
function pairTable({ file, names, headline }, base, first, second, place) {
  const lines = pointsOf(file, first, second);
  if (!lines.length) return [];
  const { decimals } = file.metrics[0];
  const text = (/** @type {number} */ points) => signed(points, decimals, "+");
  const most = Math.max(...lines.map(({ points }) => Math.abs(points))) || 1;
  const sum = (/** @type {(points: number) => boolean} */ counts) =>
    lines.reduce((all, { points }) => all + (counts(points) ? points : 0), 0);
  const nothing = lines.filter(({ points }) => points === 0).length;
  const [ours, theirs] = [first, second].map((id) => names.get(id) ?? id);
  const about = [
    `${headline} of ${ours} less that of ${theirs}, task by task: ${text(sum((points) => points > 0))} and ${text(sum((points) => points < 0))}`,
    ` add up to ${text(sum(() => true))}.`,
    nothing ? ` ${nothing} of ${lines.length} tasks add nothing.` : "",
  ].join("");
  const rows = lines.map(({ line: { task, rounds, passed }, points }) => {
    const told = element("td", [element("span", [], { ariaHidden: "true" }), element("b", text(points))], { className: "sg-points" }, { side: points < 0 ? "b" : "a" });
    told.style.setProperty("--v", String(Math.abs(points) / most));
    const strips = [..."ab"].map((side, row) =>
      element("span", rounds.map(({ letters }) => element("i", "", {}, { letter: letters[row] })), {}, { side }));
    return element("tr", [
      element("th", [element("a", task.title, { href: `${base}tasks/${task.id}/` })], { scope: "row" }),
      ...[first, second].map((id, row) => element("td", [element("a", passed[row], { href: `${base}${id}/${task.id}/` })], { className: "sg-number" }, { label: SLOTS[row && place].toUpperCase() })),
      told,
      element("td", [element("span", strips, { className: "sg-points-rounds", ariaHidden: "true" })]),
    ], {}, { points: String(points) });
  });
  const heads = ["Task", [letter(0), ours], [letter(place), theirs], "Points", "Rounds passed"];
  const table = element("table", [
    element("caption", `Points of ${headline} that each task adds, from most for ${ours} to most for ${theirs}`),
    element("thead", [element("tr", heads.map((head) => element("th", head, { scope: "col" })))]),
    element("tbody", rows),
  ], { className: "sg-table sg-contributions" });
  const scroll = element("div", [table], { className: "sg-scroll", role: "region", tabIndex: 0, ariaLabel: `What each task adds, ${ours} and ${theirs}` });
  return [element("p", about, { className: "sg-facts" }), scroll];
}
