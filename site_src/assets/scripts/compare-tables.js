// @ts-check
/** The visible parts of a comparison; the functions take values and return elements. */

/** @import { ComparisonFile, Difference, TaskLine } from "./compare-facts.js" */
import { SLOTS, between, bestFirst, decidedByOneCase, favoured, hasRounds, marksOn, pairsOf, pointsOf, roundsOf, runAddress, signed } from "./compare-facts.js";
import { element, scrolling, tableElement } from "./element.js";

/** The compared rows, their names by id, and the title of the headline score. @typedef {{ file: ComparisonFile, ids: readonly string[], names: ReadonlyMap<string, string>, headline: string }} Shown */

/** @typedef {{ id: string, index: number }} Chosen  a row, with the index of its letter */
/** @typedef {{ state: string, shade: string, mark: string, words: string }} Mark  of a round */
/** @typedef {{ base: string, round: string, marks: ReadonlyMap<string, Mark> }} Around  address of the board, its word for a round, marks by letter */

const GAP = "–";
const LONGEST = 140;

/** @param {number} number @param {string} noun @returns {string} "1 round", "3 rounds" */
function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number} index @returns {HTMLElement} the letter of a row */
export function letter(index) {
  return element("span", SLOTS[index].toUpperCase(), { className: "sg-letter" });
}

/** Compare each row with the next one, best first; for two rows the page's first sentence does. @param {Shown} shown @returns {HTMLLIElement[]} */
export function orderSentences(shown) {
  const { file, ids, names, headline } = shown, sorted = bestFirst(file, ids), isTold = verdict(shown) !== null;
  return sorted.slice(1).map((second, index) => {
    const facts = between(file, sorted[index], second);
    const found = facts.differences.get(file.metrics[0].id);
    const about = found?.text ? aloneAndOnBoard(found, facts.onBoard, headline) : facts.reason;
    const order = sentence(facts.verdict, names.get(sorted[index]) ?? sorted[index], names.get(second) ?? second);
    const told = isTold ? [`${about.slice(0, 1).toUpperCase()}${about.slice(1)}.`] : [element("b", order), `: ${about}.`];
    return element("li", told, {}, { standing: facts.verdict });
  });
}

/**
 * Return whether two rows differ clearly, as a page's first sentence, and how certain that is.
 * @param {Shown} shown @returns {readonly [string, string] | null} null for more rows, and if names are too long
 */
export function verdict({ file, ids, names, headline }) {
  const [first, second] = bestFirst(file, ids);
  if (ids.length !== 2) return null;
  const facts = between(file, first, second);
  const found = facts.differences.get(file.metrics[0].id);
  const [one, other] = [first, second].map((id) => names.get(id) ?? id);
  const told = facts.verdict === "cannot tell" ? `There is no clear difference between ${one} and ${other}` : sentence(facts.verdict, one, other);
  const sure = found?.text ? `The difference of ${found.text} in ${headline} has ${/^[aeiou]/.test(found.interval) ? "an" : "a"} ${found.interval} of ${found.bounds}.` : `${facts.reason.slice(0, 1).toUpperCase()}${facts.reason.slice(1)}.`;
  return told.length > LONGEST ? null : [told, sure];
}

/** @param {string} found @param {string} first @param {string} second @returns {string} */
function sentence(found, first, second) {
  if (found === "tie") return `${first} and ${second} tie`;
  return found === "cannot tell" ? `No clear difference between ${first} and ${second}` : `${first} is ${found} of ${second}`.replace("behind of", "behind");
}

/** @param {Difference} found @param {string} onBoard @param {string} headline @returns {string} the result for this pair alone, and among all pairs */
function aloneAndOnBoard(found, onBoard, headline) {
  const enough = found.word === "cannot tell" && found.tasks?.toLocaleString("en");
  const more = enough ? `; about ${enough} ${found.tasks === 1 ? "task" : "tasks"} like these would detect it 80 % of the time` : "";
  return `${found.text} in ${headline}, ${found.interval} ${found.bounds}, p ${found.p}${more}. Over all pairs of the board: ${onBoard}`;
}

/** @param {Shown} shown @returns {[Chosen, Chosen][]} all pairs */
function chosenPairs({ ids }) {
  return pairsOf(ids.map((id, index) => ({ id, index })));
}

/**
 * The differences of all pairs of chosen rows by metric, each interval on its own scale around a common line at 0.
 *
 * @param {HTMLTableElement} table  the page's own @param {Shown} shown @returns {HTMLTableElement[]} one per pair
 */
export function scoresTables(table, shown) {
  const columns = [...table.querySelectorAll("th[data-column]")].map((head) => {
    const { dataset: { column: id = "" }, firstChild } = /** @type {HTMLElement} */ (head);
    return { id, title: firstChild?.textContent?.trim() ?? "", unit: head.querySelector(".sg-unit")?.textContent ?? "" };
  });
  return chosenPairs(shown).map(([first, second]) => {
    const facts = between(shown.file, first.id, second.id);
    const names = [first, second].map(({ id }) => shown.names.get(id) ?? id);
    const heads = ["Metric", ...[first, second].map(({ index }, place) => [letter(index), names[place]]), "Difference", "Interval of the difference (each on its own scale)", "Verdict"];
    const headline = shown.file.metrics[0].id;
    const rows = columns.map(({ id, title, unit }) => {
      const found = facts.differences.get(id);
      const word = id === headline && found?.text ? facts.verdict : found?.word ?? "";
      return element("tr", [
        element("th", [title, " ", element("span", unit, { className: "sg-unit" })], { scope: "row" }),
        ...[first, second].map((row, place) => scoreCell(table, row, id, names[place])),
        ...differenceCells(found, names, word),
      ], {}, { difference: id, standing: word });
    });
    const caption = `Scores of ${names[0]} and ${names[1]} and their differences`;
    return tableElement(caption, heads, rows, "sg-table sg-apart", { pair: `${first.id} ${second.id}` });
  });
}

/** @param {HTMLTableElement} table  the page's own @param {Chosen} row @param {string} metric @param {string} label  shown before it in a narrow window */
function scoreCell(table, { id }, metric, label) {
  const shown = table.querySelector(`tr[data-submission="${CSS.escape(id)}"] [data-metric="${metric}"]`);
  const parts = [...shown?.querySelectorAll(".sg-value, .sg-about, .sg-unfounded") ?? []].map((each) => each.cloneNode(true));
  return element("td", parts, { className: "sg-number" }, { label });
}

/** @param {Difference | undefined} found  undefined without a comparison @param {readonly string[]} names @param {string} word  who is ahead, in the words of the page's first sentence */
function differenceCells(found, [first, second], word) {
  if (!found?.text) return [element("td", GAP, { className: "sg-number" }, { label: "Difference" }), element("td", found ? found.reason : "not a column of the board, so not tested", { colSpan: 2, className: "sg-about" })];
  const { numbers: [value, low, high], text, bounds, interval } = found;
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const range = element("span", [element("i"), element("b")], { className: "sg-range", ariaHidden: "true" }, { told: /ahead|behind/.test(found.word) ? "yes" : "no" });
  for (const [name, number] of Object.entries({ low, high, mid: value })) range.style.setProperty(`--${name}`, String(number / reach));
  const certainty = word.startsWith("likely") ? "likely ahead" : "ahead";
  const told = /ahead|behind/.test(word) ? `${word.includes("ahead") ? first : second} ${certainty}` : word;
  return [
    element("td", [element("b", text)], { className: "sg-number" }, { label: "Difference" }),
    element("td", [range, element("span", `${bounds} (${interval.replace(" interval", "")})`, { className: "sg-about" })], {}, { label: "Interval" }),
    element("td", told, {}, { label: "Verdict" }),
  ];
}

/** @param {Shown} shown @param {Around} page @returns {HTMLElement[]} how many rounds only one row of a pair passed, and the rounds decided by a single case */
export function roundCounts({ file, ids, names }, page) {
  return chosenPairs({ file, ids, names, headline: "" }).flatMap(([first, second]) => {
    const { counts } = between(file, first.id, second.id);
    if (!counts) return [];
    const [one, other] = [first, second].map(({ id }) => names.get(id) ?? id);
    const { both, onlyFirst, onlySecond, neither } = counts;
    const all = both + onlyFirst + onlySecond + neither;
    const lines = [
      { side: "a", number: onlyFirst, about: [letter(first.index), `only ${one}`] },
      { side: "b", number: onlySecond, about: [letter(second.index), `only ${other}`] },
      { side: "", number: both, about: ["both"] },
      { side: "", number: neither, about: ["neither"] },
    ];
    const rows = lines.map(({ side, number, about }) => {
      const bar = element("span", [], { ariaHidden: "true" });
      bar.style.setProperty("--v", String(number / (Math.max(...lines.map((line) => line.number)) || 1)));
      return element("tr", [element("th", about, { scope: "row" }), element("td", [bar], { className: "sg-tally" }, { side }), element("td", String(number), { className: "sg-number" })]);
    });
    const single = onlyFirst + onlySecond;
    const caption = `${single} of ${counted(all, page.round)} ${single === 1 ? "was" : "were"} passed by only one`;
    const table = tableElement(caption, [], rows, "sg-table sg-tallies", { pair: `${first.id} ${second.id}` });
    return element("div", [table, ...decidedTable(file, first, second, names, page)], { className: "sg-beside" });
  });
}

/** @param {ComparisonFile} file @param {Chosen} first @param {Chosen} second @param {ReadonlyMap<string, string>} names @param {Around} page */
function decidedTable(file, first, second, names, { base, round }) {
  const found = decidedByOneCase(file, first.id, second.id);
  if (!found.length) return [];
  const rows = found.map(({ task, number, by, failedBy, ran, name, why }) => element("tr", [
    element("th", [element("a", task.title, { href: `${base}tasks/${task.id}/${number}/` }), ` ${round} ${number}`], { scope: "row" }),
    element("td", [letter(by === first.id ? first.index : second.index), names.get(by) ?? by], {}, { label: "Passed by" }),
    element("td", [element("a", `${ran - 1} of ${ran}`, { href: runAddress(file, base, failedBy, task, `#round-${number}`) })], { className: "sg-number" }, { label: "The other passed" }),
    element("td", name === null ? ["not named by the source"] : [element("b", name), ...(why ? [" ", element("code", why)] : [])], { className: name === null ? "sg-about" : "" }, { label: "It failed" }),
  ]));
  const heads = [round[0].toUpperCase() + round.slice(1), "Passed by", "The other passed", "It failed"];
  const caption = found.length > 1 ? `${found.length} of them were decided by a single case` : "One of them was decided by a single case";
  const table = tableElement(caption, heads, rows, "sg-table sg-stack sg-decided", { decided: String(found.length) });
  const [ours, theirs] = [first, second].map(({ id }) => names.get(id) ?? id);
  return [scrolling(table, `${round}s decided by a single case, ${ours} and ${theirs}`)];
}

/** @param {Element} legend  the page's list of marks @returns {Map<string, Mark>} by letter */
export function readMarks(legend) {
  const items = [...legend.querySelectorAll("li")].filter((item) => item.dataset.letter);
  return new Map(items.map((item) => {
    const cell = item.querySelector("span");
    const { state = "", shade = "" } = cell?.dataset ?? {};
    return [item.dataset.letter ?? "", { state, shade, mark: cell?.textContent ?? "", words: item.dataset.words ?? "" }];
  }));
}

/**
 * Rounds of the chosen rows as small marks, task by task; marks that differ have a background.
 * @param {Shown} shown @param {Around} page @param {boolean} all  whether tasks with equal results are shown too
 * @returns {{ told: string, tables: readonly HTMLElement[] }} a sentence with the number of differences; no tables if there is nothing to show
 */
export function roundsTable(shown, page, all) {
  const { file, ids, names } = shown;
  const reported = ids.filter((id) => !hasRounds(file, id));
  const absent = reported.map((id) => `${names.get(id)} comes from a published table without results by ${page.round}.`);
  const rows = ids.map((id, index) => ({ id, index })).filter(({ id }) => hasRounds(file, id));
  if (rows.length < 2) return { told: [...absent, `At least two agents with results are needed to compare ${page.round}s.`].join(" "), tables: [] };
  const tasks = roundsOf(file, rows.map(({ id }) => id));
  const differing = tasks.filter((line) => line.differing);
  const total = tasks.reduce((sum, line) => sum + line.rounds.length, 0);
  const many = differing.reduce((sum, line) => sum + line.differing, 0);
  const counts = many
    ? `They differ in ${many} of ${counted(total, page.round)}, on ${differing.length} of ${counted(tasks.length, "task")}.`
    : `They pass and fail the same ${page.round}s, all ${total} of them.`;
  const told = [counts, ...absent].join(" ");
  const lines = all ? tasks : differing;
  if (!lines.length) return { told, tables: [] };
  const longest = Math.max(...lines.map((line) => line.rounds.length));
  const bodies = lines.map((line) => taskBody(line, rows, shown, page, longest));
  const caption = element("caption", `How each ${page.round} went, by task`);
  return { told, tables: [element("table", [caption, ...bodies], { className: "sg-heat sg-versus" })] };
}

/** @param {TaskLine} line @param {readonly Chosen[]} rows @param {Shown} shown @param {Around} page @param {number} longest  number of rounds of the longest task */
function taskBody({ task, rounds, differing, passed }, rows, { file, names }, page, longest) {
  const address = `${page.base}tasks/${task.id}/`;
  const rest = longest - rounds.length;
  const filler = () => (rest ? [element("td", [], { colSpan: rest })] : []);
  const heads = rounds.map(({ number, differs }) => {
    const head = element("th", [element("a", String(number), { href: `${address}${number}/` })], { scope: "col" });
    head.toggleAttribute("data-differs", differs);
    return head;
  });
  const head = element("tr", [
    element("th", [element("a", task.title, { href: address })], { scope: "rowgroup" }),
    ...heads,
    ...filler(),
    element("td", differing ? `${differing} differ` : "same", { className: "sg-number" }),
  ]);
  const lines = rows.map(({ id, index }, row) => {
    const cells = rounds.map(({ number, letters, differs }) => {
      const { mark = "", words = "", state = "", shade = "" } = page.marks.get(letters[row]) ?? {};
      const found = marksOn(file, id, task.id, number);
      const title = [words, ...found.map((each) => `finding: ${each.title}`)].join("; ");
      const ariaLabel = `${names.get(id)}, ${task.title}, ${page.round} ${number}: ${title}`;
      const data = { cell: "", state, shade, submission: id, task: task.id, round: String(number) };
      const cell = element("a", mark, { href: runAddress(file, page.base, id, task, `#round-${number}`), className: "sg-cell", title, ariaLabel }, data);
      cell.toggleAttribute("data-differs", differs);
      if (found.length) cell.dataset.finding = found.map((each) => each.id).join(" ");
      return element("td", [cell]);
    });
    return element("tr", [
      element("th", [letter(index), element("span", names.get(id) ?? id, { className: "sg-name" })], { scope: "row" }),
      ...cells,
      ...filler(),
      element("td", [element("a", passed[row], { href: runAddress(file, page.base, id, task) })], { className: "sg-number" }),
    ]);
  });
  return element("tbody", [head, ...lines], {}, { task: task.id });
}

/** @param {Shown} shown @param {string} base  address of the board @param {string} round  the board's word for a round @returns {HTMLElement[]} the first row against each of the others, by task */
export function pointsTables(shown, base, round) {
  const [first, ...others] = shown.ids;
  return others.flatMap((second, index) => pairTable(shown, base, round, first, second, index + 1));
}

/** @param {Shown} shown @param {string} base @param {string} round @param {string} first @param {string} second @param {number} place  index of the second row */
function pairTable({ file, names, headline }, base, round, first, second, place) {
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
    `${headline} of ${ours} minus ${theirs}, task by task: ${text(sum((points) => points > 0))} and ${text(sum((points) => points < 0))}`,
    ` add up to ${text(sum(() => true))}.`,
    nothing ? ` ${nothing} of ${counted(lines.length, "task")} ${nothing === 1 ? "contributes" : "contribute"} nothing.` : "",
  ].join("");
  const rows = lines.map(({ line: { task, rounds, passed }, points }) => {
    const told = element("td", [element("span", [], { ariaHidden: "true" }), element("b", text(points))], { className: "sg-points" }, { side: points < 0 ? "b" : "a", for: favoured(file, points) });
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
  const heads = ["Task", [letter(0), ours], [letter(place), theirs], "Contribution", `${round[0].toUpperCase()}${round.slice(1)}s passed`];
  const caption = `Contribution of each task to the difference in ${headline}, from most for ${ours} to most for ${theirs}`;
  const table = tableElement(caption, heads, rows, "sg-table sg-contributions");
  return [element("p", about, { className: "sg-facts" }), scrolling(table, `What each task contributes, ${ours} and ${theirs}`)];
}
