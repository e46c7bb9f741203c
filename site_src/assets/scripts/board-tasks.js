// @ts-check
/** A board over chosen tasks: its numbers, a notice, and the way back. Loaded on demand. */

/** @import { State } from "./board-view.js" */
/** @import { BoardRow, MetricRule, Score, TaskBoard, TaskFile } from "./task-board.js" */
/** @import { Axis, Selection } from "./task-selection.js" */
/** @import { Reply } from "./task-worker.js" */
import { mountMenu } from "./board-menus.js";
import { button, checkbox, element, part, rowElements } from "./element.js";
import { scoredColumns } from "./task-board.js";
import { filterText, readSelection, weightText } from "./task-selection.js";

const GAP = "–";
const SVG = "http://www.w3.org/2000/svg";
/** Percentage of the axis that an interval in words takes beside its band. */
const TEXT_ROOM = 22, PHONE_TEXT_ROOM = 30;
const MARKS = 5;
/** Minimum number of labels with at most one task that are folded in the menu. */
const FEWEST_FOLDED = 5;

/** @typedef {{ low: number, high: number, marks: readonly number[] }} Ruler */

/** @param {HTMLTableElement} table @param {HTMLElement | null} toolbar @param {State} state @returns {Promise<void>} resolved when the board shows the view */
export async function mountTasks(table, toolbar, state) {
  const banner = element("div", [], { className: "sg-notice sg-subset", hidden: true });
  banner.setAttribute("role", "status");
  (table.closest(".sg-scroll") ?? table).before(banner);
  const answer = await fetch(table.dataset.taskScores ?? "").catch(() => null);
  if (!answer?.ok) {
    banner.hidden = false;
    banner.append(element("p", "The scores by task could not be loaded; the board shows all tasks."));
    return;
  }
  const file = /** @type {TaskFile} */ (await answer.json());
  if (toolbar) fillMenu(part("[data-tasks]", HTMLDetailsElement, toolbar), file, state);
  await new Promise((resolve) => followView(new BoardPage(table, file), banner, toolbar, state, () => resolve(undefined)));
}

/**
 * Show the board over the tasks of the view, now and after each change.
 * @param {BoardPage} page @param {HTMLElement} banner @param {HTMLElement | null} toolbar @param {State} state @param {() => void} ready  called once the first view is shown
 */
function followView(page, banner, toolbar, state, ready) {
  const score = scorer(page.file);
  let shown = "";
  state.follow(async ({ tasks, weights }) => {
    const asked = JSON.stringify([tasks, weights]);
    if (asked === (shown || "[[],[]]")) {
      ready();
      return;
    }
    shown = asked;
    const { problems, ...selection } = readSelection(tasks, weights, page.file.axes);
    const board = selection.filters.length || selection.weights.length ? await score(selection) : null;
    if (shown !== asked) return; // the choice has changed since
    const isPart = Boolean(board?.scored) && (board?.tasks !== board?.total || selection.weights.length > 0);
    if (board && isPart) page.show(board);
    else page.restore();
    fillBanner(banner, page.file, isPart ? board : null, selection, [...problems, ...(board && !isPart && !board.scored ? [board.tasks ? "no agent has results on the tasks with these labels" : "no task has all of these labels"] : [])], state);
    const chosen = toolbar?.querySelector("[data-tasks] [data-chosen]");
    if (chosen) chosen.textContent = board && isPart ? ` (${board.scored} of ${board.scoredTotal})` : "";
    state.refresh();
    ready();
  });
}

/** @param {TaskFile} file @returns {(selection: Selection) => Promise<TaskBoard | null>} computed in a worker; null if that failed */
function scorer(file) {
  const worker = new Worker(new URL("./task-worker.js", import.meta.url), { type: "module" });
  worker.postMessage({ file });
  let last = 0;
  return (selection) => new Promise((resolve) => {
    const number = (last += 1);
    const take = (/** @type {MessageEvent<Reply>} */ { data }) => {
      if (data.number !== number) return;
      worker.removeEventListener("message", take);
      resolve("board" in data ? data.board : null);
    };
    worker.addEventListener("message", take);
    worker.addEventListener("error", () => resolve(null), { once: true });
    worker.postMessage({ number, selection });
  });
}

/**
 * Say which tasks the board covers, what is left out, and how to get back.
 * @param {HTMLElement} banner @param {TaskFile} file @param {TaskBoard | null} board @param {Selection} selection @param {readonly string[]} problems @param {State} state
 */
function fillBanner(banner, file, board, selection, problems, state) {
  banner.hidden = !board && !problems.length;
  delete banner.dataset.subset;
  banner.replaceChildren();
  if (board) {
    banner.dataset.subset = `${board.scored} of ${board.scoredTotal}`;
    const count = element("strong", `${board.scored} of ${board.scoredTotal} tasks`);
    const back = button(`Show all ${board.scoredTotal} tasks`, () => state.step({ tasks: [], weights: [] }));
    banner.append(element("p", ["Recomputed in your browser over ", count, ` (${selectionText(file, selection)}). `, back]));
    banner.append(element("p", notes(board, selection).join(" "), { className: "sg-small" }));
  }
  if (problems.length) banner.append(element("p", `Ignored: ${problems.join("; ")}.${board ? "" : " The board shows all tasks."}`));
}

/** @param {TaskFile} file @param {Selection} selection @returns {string} with the titles of axes and values */
function selectionText(file, { filters, weights }) {
  const axisOf = (/** @type {string} */ id) => file.axes.find((axis) => axis.id === id);
  const titleOf = (/** @type {string} */ axis, /** @type {string} */ value) => axisOf(axis)?.values.find((offer) => offer.value === value)?.title ?? value;
  const chosen = filters.map(({ axis, values }) => `${axisOf(axis)?.title ?? axis}: ${values.map((value) => titleOf(axis, value)).join(", ")}`);
  const weighed = weights.map(({ axis, value, weight }) => `${titleOf(axis, value)} × ${weight}`);
  return [...chosen, ...(weighed.length ? [`your weights: ${weighed.join(", ")}`] : [])].join("; ");
}

/** @param {TaskBoard} board @param {Selection} selection @returns {string[]} sentences */
function notes(board, { weights }) {
  const sentences = ["Scores, intervals and ranks in this table are over these tasks; the sections below it are over all tasks."];
  const [missing, noun] = [board.tasks - board.scored, board.tasks - board.scored === 1 ? "task" : "tasks"];
  if (missing) sentences.push(`${missing} more ${noun} with these labels ${missing === 1 ? "does" : "do"} not count, as results are not available.`);
  if (board.untested) sentences.push(`There are no intervals and no tested ranks: ${board.untested}.`);
  const hasIdleWeights = !board.isWeighted && weights.some(({ weight }) => weight > 0);
  if (hasIdleWeights) sentences.push("All of these tasks have the same weight.");
  if (board.unweighted.length) sentences.push(`Weights do not change ${board.unweighted.join(" and ")}.`);
  if (board.leftOut.length) sentences.push(`Not recomputed, because only published scores exist: ${board.leftOut.join(", ")}.`);
  return sentences;
}

/** A board on the page, whose changes can be undone. */
class BoardPage {
  /** @param {HTMLTableElement} table @param {TaskFile} file */
  constructor(table, file) {
    this.table = table;
    this.file = file;
    /** @type {(() => void)[]} */
    this.undo = [];
  }

  /** Show all tasks again. */
  restore() {
    this.table.classList.remove("sg-over-tasks");
    for (const step of this.undo.reverse()) step();
    this.undo = [];
  }

  /** @param {TaskBoard} board */
  show(board) {
    this.restore();
    this.table.classList.add("sg-over-tasks");
    const headline = this.file.metrics.find(({ id }) => id === this.file.headline);
    const ruler = headline ? rulerOf(headline, board) : null;
    if (ruler) this.setAxis(ruler);
    const rows = new Map(board.rows.map((row) => [row.id, row]));
    for (const tableRow of rowElements(this.table)) {
      const row = rows.get(tableRow.dataset.submission ?? "");
      if (row) this.setRow(tableRow, row, board, ruler);
    }
    this.setHeadline(board, headline);
  }

  /** @param {HTMLTableRowElement} tableRow @param {BoardRow} row @param {TaskBoard} board @param {Ruler | null} ruler */
  setRow(tableRow, row, board, ruler) {
    this.setData(tableRow, "incomplete", row.isIncomplete ? "" : undefined);
    const [rank] = tableRow.cells;
    if (rank?.firstChild) {
      this.setText(rank.firstChild, placeText(row));
      this.setAttribute(rank, "title", rankMeaning(row, board.ranked));
      this.setData(rank, "value", row.rank === null ? "" : String(row.rank));
    }
    for (const cell of tableRow.cells) {
      const metric = cell.dataset.group === undefined && this.file.metrics.find(({ id }) => id === cell.dataset.metric);
      if (metric) this.setScore(cell, metric, row, board, ruler);
    }
  }

  /** @param {HTMLTableCellElement} cell @param {MetricRule} metric @param {BoardRow} row @param {TaskBoard} board @param {Ruler | null} ruler */
  setScore(cell, metric, row, board, ruler) {
    const score = row.scores[metric.id];
    this.setData(cell, "value", score.value === null ? undefined : String(score.value));
    const interval = intervalText(score, metric.decimals);
    const hint = score.value === null ? score.gap ?? "" : interval && `${metric.interval}: ${interval}`;
    const number = element("span", scoreText(score, metric), { className: "sg-value", title: hint });
    const part = score.value !== null && score.known < score.of ? [element("span", `known for ${score.known} of ${score.of}`, { className: "sg-about" })] : [];
    const isDrawn = cell.classList.contains("sg-headline") && ruler && score.value !== null;
    const strip = isDrawn ? stripOf(score, ruler, `${metric.interval}: ${interval}`, this.axisName, isAlone(row, board)) : null;
    const bounds = interval && !strip?.querySelector("text") ? [" ", element("span", interval, { className: "sg-bounds" })] : [];
    const inside = [number, ...bounds, ...part];
    this.setChildren(cell, isDrawn && strip ? [element("div", [element("div", inside), strip], { className: "sg-scored" })] : inside);
  }

  get axisName() {
    return this.table.querySelector("thead .sg-grid")?.id ?? "";
  }

  /** Redraw the axis: fewer tasks have wider intervals. @param {Ruler} ruler */
  setAxis(ruler) {
    const axis = this.table.querySelector("thead .sg-axis");
    const grid = axis?.querySelector(".sg-grid");
    if (!axis || !grid) return;
    const place = (/** @type {number} */ mark) => percent(ruler, mark);
    this.setChildren(grid, ruler.marks.map((mark) => svg("line", { x1: place(mark), x2: place(mark), y2: "100%" })));
    const texts = ruler.marks.map((mark) => {
      const share = (mark - ruler.low) / (ruler.high - ruler.low);
      const anchor = share <= 0 ? "start" : share >= 1 ? "end" : "middle";
      return svg("text", { x: place(mark), y: "12", "text-anchor": anchor }, Number(mark.toPrecision(10)).toLocaleString("en"));
    });
    this.setChildren(axis, [...axis.children].filter((child) => child.contains(grid)).concat(texts));
  }

  /** @param {TaskBoard} board @param {MetricRule | undefined} metric */
  setHeadline(board, metric) {
    const heading = document.querySelector("[data-answer]");
    const sure = document.querySelector(".sg-sure");
    if (heading) this.setChildren(heading, [document.createTextNode(answerText(this.file, board, metric))]);
    if (sure instanceof HTMLElement) {
      sure.hidden = true;
      this.undo.push(() => (sure.hidden = false));
    }
  }

  /** @param {Element} place @param {readonly (Node | string)[]} children */
  setChildren(place, children) {
    const before = [...place.childNodes];
    place.replaceChildren(...children);
    this.undo.push(() => place.replaceChildren(...before));
  }

  /** @param {ChildNode} node @param {string} text */
  setText(node, text) {
    const before = node.textContent;
    node.textContent = text;
    this.undo.push(() => (node.textContent = before));
  }

  /** @param {Element} place @param {string} name @param {string} text */
  setAttribute(place, name, text) {
    const before = place.getAttribute(name) ?? "";
    place.setAttribute(name, text);
    this.undo.push(() => place.setAttribute(name, before));
  }

  /** @param {HTMLElement} place @param {string} name @param {string | undefined} value  undefined to remove it */
  setData(place, name, value) {
    const before = place.dataset[name];
    putData(place, name, value);
    this.undo.push(() => putData(place, name, before));
  }
}

/** @param {HTMLElement} place @param {string} name @param {string | undefined} value */
function putData(place, name, value) {
  if (value === undefined) delete place.dataset[name];
  else place.dataset[name] = value;
}

// Words

/** @param {TaskFile} file @param {TaskBoard} board @param {MetricRule | undefined} metric @returns {string} the board's first sentence */
function answerText(file, board, metric) {
  const over = `over ${board.scored} of ${board.scoredTotal} tasks${board.isWeighted ? " with your weights" : ""}`;
  const ranked = board.rows.filter(({ rank }) => rank !== null);
  const nameOf = (/** @type {BoardRow} */ { id }) => file.submissions.find((submission) => submission.id === id)?.name ?? id;
  if (!ranked.length) return `No agent is ranked ${over}`;
  const first = ranked.filter(({ ranks }) => ranks?.[0] === 1);
  const scoreOf = (/** @type {BoardRow} */ { scores }) => (metric ? scoreText(scores[metric.id], metric) : "");
  if (!first.length) return `${nameOf(ranked[0])} has the best score, ${scoreOf(ranked[0])}, ${over}; the order is not tested`;
  if (first.length === 1) return `${nameOf(first[0])} leads with ${scoreOf(first[0])} ${over}`;
  const agents = first.length === ranked.length ? `any of the ${ranked.length} agents` : `${first.length} of ${ranked.length} agents`;
  return `Too close to call ${over}: ${agents} could be first`;
}

/** @param {BoardRow} row @returns {string} the possible ranks of a row; in brackets if the order is not tested */
function placeText({ rank, ranks }) {
  if (ranks) return ranks[0] === ranks[1] ? String(ranks[0]) : ranks.join(GAP);
  return rank === null ? GAP : `(${rank})`;
}

/** @param {BoardRow} row @param {number} ranked @returns {string} */
function rankMeaning({ rank, ranks }, ranked) {
  if (!ranks) return rank === null ? "not ranked" : "by score alone; the order is not tested";
  const [better, worse] = [ranks[0] - 1, ranked - ranks[1]];
  if (!better && !worse) return "no agent is shown to be better or worse";
  const words = better ? `${better} ${better === 1 ? "agent is" : "agents are"}` : "no agent is";
  return `${words} shown to be better, ${worse || "none"} to be worse`;
}

/** @param {BoardRow} row @param {TaskBoard} board @returns {boolean} whether it has a single possible rank */
const isAlone = ({ ranks }, board) => board.ranked > 1 && ranks !== null && ranks[0] === ranks[1];

/** Format a number as the program does: halves are rounded to even. @param {number} value @param {number} decimals */
export function numberText(value, decimals) {
  const scaled = Math.abs(value) * 10 ** decimals;
  const isTie = scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0;
  const text = (isTie ? Math.floor(scaled) / 10 ** decimals : Math.abs(value)).toFixed(decimals);
  return value < 0 && Number(text) ? `−${text}` : text;
}

/** @param {Score} score @param {MetricRule} metric */
function scoreText({ value, of }, metric) {
  if (value === null) return GAP;
  const isCount = metric.aggregation === "sum" && metric.counts === "tasks";
  return isCount && of ? `${numberText(value, metric.decimals)} / ${of}` : numberText(value, metric.decimals);
}

/** @param {Score} score @param {number} decimals @returns {string} empty without an interval */
function intervalText({ low, high }, decimals) {
  if (low === undefined || high === undefined) return "";
  return `${numberText(low, decimals)} to ${numberText(high, decimals)}`;
}

// Drawing

/** An axis from 0 that covers the headline scores and their intervals. @param {MetricRule} metric @param {TaskBoard} board @returns {Ruler} */
function rulerOf(metric, board) {
  const values = board.rows.flatMap(({ scores }) => {
    const { value, low, high } = scores[metric.id];
    return [value, low, high].filter((number) => typeof number === "number");
  });
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const rough = (high - low || 1) / MARKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const first = Math.floor(low / step);
  const count = Math.max(Math.ceil(high / step - 1e-9), 1) - first + 1;
  const marks = Array.from({ length: count }, (_, n) => (first + n) * step);
  const end = metric.highest === null ? marks[count - 1] : Math.max(high, Math.min(marks[count - 1], metric.highest));
  return { low: marks[0], high: end, marks: marks.filter((mark) => mark <= end) };
}

/** @param {Ruler} ruler @param {number} value */
const percent = ({ low, high }, value) => `${((100 * (value - low)) / (high - low)).toFixed(2)}%`;

/** @param {string} name @param {Readonly<Record<string, string>>} attributes @param {...(Node | string)} inside @returns {SVGElement} */
function svg(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

/** @param {Score} score @param {Ruler} ruler @param {string} words @param {string} axis  id of its grid @param {boolean} isOnly @returns {SVGElement} a dot on the axis with its interval */
function stripOf({ value, low, high }, ruler, words, axis, isOnly) {
  const shapes = [svg("use", { href: `#${axis}` })];
  if (low !== undefined && high !== undefined) {
    const [start, end] = [percent(ruler, low), percent(ruler, high)];
    const width = `${(parseFloat(end) - parseFloat(start)).toFixed(2)}%`;
    shapes.push(svg("rect", { class: "sg-band", x: start, width, y: "8", height: "8" }));
    for (const cap of [start, end]) shapes.push(svg("line", { class: "sg-cap", x1: cap, x2: cap, y1: "6", y2: "18" }));
    const text = words.slice(words.indexOf(": ") + 2);
    const startRoom = parseFloat(start), endRoom = 100 - parseFloat(end);
    if (endRoom >= Math.max(TEXT_ROOM, Math.min(startRoom, PHONE_TEXT_ROOM))) shapes.push(svg("text", { x: end, dx: "8", y: "16" }, text));
    else if (startRoom >= TEXT_ROOM) shapes.push(svg("text", { x: start, dx: "-8", y: "16", "text-anchor": "end" }, text));
  }
  const dot = svg("circle", { class: "sg-dot", cx: percent(ruler, value ?? 0), cy: "12", r: "5" });
  /** @type {Record<string, string>} */
  const names = low === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": words };
  const at = shapes.findIndex(({ localName }) => localName === "text");
  shapes.splice(at < 0 ? shapes.length : at, 0, dot);
  return svg("svg", { class: isOnly ? "sg-interval sg-only" : "sg-interval", width: "100%", height: "24", ...names }, ...shapes);
}

// The menu

/** Offer the labels of the tasks, each with a weight. @param {HTMLDetailsElement} menu @param {TaskFile} file @param {State} state */
function fillMenu(menu, file, state) {
  const about = "Score and rank the agents over some of the tasks. A weight of 2 counts a task twice, and 0 leaves it out.";
  const axes = file.axes.filter(({ values }) => values.length > 1).sort((a, b) => a.values.length - b.values.length);
  const scored = scoredColumns(file);
  part(".sg-panel", HTMLElement, menu).append(element("p", about), ...axes.map((axis) => axisFieldset(axis, file, scored, state)));
  mountMenu(menu);
}

/** @param {Axis} axis @param {TaskFile} file @param {ReadonlySet<number>} scored  columns of tasks with results @param {State} state */
function axisFieldset(axis, file, scored, state) {
  const offers = axis.values.map(({ value, title }) => {
    const tasks = [...scored].filter((column) => file.tasks[column].labels[axis.id] === value).length;
    const label = checkbox(value, [element("span", title), element("span", String(tasks), { className: "sg-count" })], (on) => choose(axis, value, on, file, state));
    const weight = element("input", [], { type: "number", min: "0", max: "999999", step: "any", placeholder: "1", autocomplete: "off", ariaLabel: `Weight of ${title}` });
    weight.addEventListener("change", () => weigh(axis, value, weight.value, file, state));
    const box = part("input", HTMLInputElement, label);
    weight.disabled = !tasks;
    if (!tasks) label.title = "No agent has results on these tasks";
    return { value, weight, box, tasks, line: element("div", [label, weight], { className: "sg-weighed" }) };
  });
  const heads = element("p", [element("span", "tasks"), element("span", "weight")], { className: "sg-weighed sg-small", ariaHidden: "true" });
  state.follow(({ tasks, weights }) => {
    const selection = readSelection(tasks, weights, file.axes);
    const chosen = selection.filters.filter((filter) => filter.axis === axis.id).flatMap(({ values }) => values);
    for (const { value, weight, box, tasks } of offers) {
      box.checked = chosen.includes(value);
      box.disabled = !tasks && !box.checked; // a value in the address can be deselected
      const own = selection.weights.find((item) => item.axis === axis.id && item.value === value);
      weight.value = own ? String(own.weight) : "";
    }
  });
  const common = offers.filter(({ tasks }) => tasks > 1);
  const rare = offers.filter(({ tasks }) => tasks <= 1);
  if (!common.length || rare.length < FEWEST_FOLDED) return element("fieldset", [element("legend", axis.title), heads, ...offers.map(({ line }) => line)]);
  const fold = element("details", [element("summary", `${rare.length} labels of at most one task`), ...rare.map(({ line }) => line)], { className: "sg-group" });
  fold.open = rare.some(({ box }) => box.checked);
  return element("fieldset", [element("legend", axis.title), heads, ...common.map(({ line }) => line), fold]);
}

/** @param {Axis} axis @param {string} value @param {boolean} on @param {TaskFile} file @param {State} state */
function choose(axis, value, on, file, state) {
  const { filters } = readSelection(state.view.tasks, [], file.axes);
  const before = filters.filter((filter) => filter.axis === axis.id).flatMap(({ values }) => values);
  const values = axis.values.map((offer) => offer.value).filter((offer) => (offer === value ? on : before.includes(offer)));
  const others = filters.filter((filter) => filter.axis !== axis.id);
  const own = values.length ? [{ axis: axis.id, values }] : [];
  state.step({ tasks: [...others, ...own].map(filterText) });
}

/** @param {Axis} axis @param {string} value @param {string} text @param {TaskFile} file @param {State} state */
function weigh(axis, value, text, file, state) {
  const { weights } = readSelection([], state.view.weights, file.axes);
  const others = weights.filter((item) => item.axis !== axis.id || item.value !== value);
  const weight = Number(text);
  const own = text && weight >= 0 && weight !== 1 ? [{ axis: axis.id, value, weight }] : [];
  state.step({ weights: [...others, ...own].map(weightText) });
}
