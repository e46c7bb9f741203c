// @ts-check
/** Script of the page of agents: sorting, filters, the mean rank over chosen boards, and a scatter plot of any two boards. */

import { element, part, withItem } from "./element.js";

/** @typedef {"ascending" | "descending"} Direction */
/** @typedef {{ key: string, direction: Direction }} Sort  a column by its key in addresses */
/** @typedef {{ first: number, last: number } | null} Ranks  the first and last rank that an agent may have */
/** @typedef {{ value: number, rank: number | null, ranks: Ranks, low: number | null, high: number | null, reported: boolean, text: string }} Cell */
/** @typedef {{ low: number, high: number, marks: readonly number[] }} Axis */
/** @typedef {{ mean: number, low: number | null, high: number | null }} MeanRank */

/**
 * @typedef {object} View  the state of the page, stored in its address
 * @property {Sort} sort
 * @property {"" | "open" | "closed"} weights
 * @property {readonly string[]} boards  keys of the chosen boards; empty if all are shown
 * @property {string} across  the board on the x axis
 * @property {string} up  the board on the y axis
 */

/**
 * @typedef {object} Known  the columns and boards of the page, which limit what an address can request
 * @property {readonly { key: string, first: Direction }[]} columns
 * @property {readonly string[]} boards
 * @property {Sort} sort  the initial order
 * @property {readonly [across: string, up: string]} pair  the boards drawn initially
 */

/** The column that is only shown if boards are chosen. */
export const MEAN = "mean";

/** @param {Known} known @param {readonly string[]} boards  the chosen ones @returns {Sort} the initial order, or by the first chosen board if that column is hidden */
export function usualSort({ columns, boards: all, sort }, boards) {
  const [first] = boards;
  if (!first || !all.includes(sort.key) || boards.includes(sort.key)) return sort;
  return { key: first, direction: columns.find(({ key }) => key === first)?.first ?? "descending" };
}

/** @param {Sort} first @param {Sort} second */
function isSame(first, second) {
  return first.key === second.key && first.direction === second.direction;
}

/** @param {string} search  the query of the address @param {Known} known @returns {View} */
export function readView(search, known) {
  const query = new URLSearchParams(search);
  const asked = (query.get("boards") ?? "").split(",");
  const boards = known.boards.filter((key) => asked.includes(key));
  const sortText = query.get("sort") ?? "";
  const key = sortText.replace(/^-/, "");
  const isSortable = known.columns.some((column) => column.key === key) || (key === MEAN && boards.length > 1);
  const weights = query.get("weights");
  const board = (/** @type {string} */ name, /** @type {string} */ usual) => {
    const value = query.get(name) ?? "";
    return known.boards.includes(value) ? value : usual;
  };
  return {
    sort: isSortable ? { key, direction: sortText === key ? "ascending" : "descending" } : usualSort(known, boards),
    weights: weights === "open" || weights === "closed" ? weights : "",
    boards,
    across: board("x", known.pair[0]),
    up: board("y", known.pair[1]),
  };
}

/** Write a view as the query of an address; defaults are left out. @param {View} view @param {Known} known @param {string} search  the current query @returns {string} with its question mark, or "" */
export function writeView(view, known, search) {
  const query = new URLSearchParams(search);
  for (const name of ["sort", "weights", "boards", "x", "y"]) query.delete(name);
  const { key, direction } = view.sort;
  if (!isSame(view.sort, usualSort(known, view.boards))) query.set("sort", direction === "descending" ? `-${key}` : key);
  if (view.weights) query.set("weights", view.weights);
  if (view.boards.length) query.set("boards", view.boards.join(","));
  if (view.across !== known.pair[0]) query.set("x", view.across);
  if (view.up !== known.pair[1]) query.set("y", view.up);
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return text && `?${text}`;
}

/**
 * Compare two values of a column; missing values come last in either direction.
 * @param {number | string | null} first @param {number | string | null} second @param {Direction} direction @returns {number}
 */
export function compared(first, second, direction) {
  if (first === null || second === null) return Number(first === null) - Number(second === null);
  const order = typeof first === "string" || typeof second === "string" ? String(first).localeCompare(String(second)) : first - second;
  return direction === "ascending" ? order : -order;
}

/**
 * Return the mean of an agent's ranks, and of the first and last ranks that it may have.
 * @param {readonly (Cell | null)[]} cells  on the chosen boards @returns {MeanRank | null} null unless the agent has a rank on all of them
 */
export function meanRank(cells) {
  const known = cells.filter((cell) => cell !== null);
  const ranks = known.map(({ rank }) => rank).filter((rank) => rank !== null);
  if (!cells.length || ranks.length < cells.length) return null;
  const spans = known.map((cell) => cell.ranks).filter((span) => span !== null);
  const isTested = spans.length === cells.length;
  return {
    mean: mean(ranks),
    low: isTested ? mean(spans.map(({ first }) => first)) : null,
    high: isTested ? mean(spans.map(({ last }) => last)) : null,
  };
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** @param {number} value @param {Axis} axis @returns {number} the position on the axis, from 0 to 1 */
export function placed(value, axis) {
  return (value - axis.low) / (axis.high - axis.low);
}

/** @typedef {{ name: string, x: number, y: number, acrossLine?: Span, upLine?: Span }} Dot  x in percent of the width, y in pixels from the top */
/** @typedef {readonly [start: number, end: number] | null} Span  the ends of the line of an interval */
/** @typedef {{ dx: number, dy: number, anchor: "start" | "middle" | "end" }} NamePlace */
/** @typedef {readonly [left: number, top: number, right: number, bottom: number]} Box  in pixels */

const HEIGHT = 380;
/** @type {readonly [number, number]} the narrowest and the widest drawing in a wide window, in pixels */
const WIDE = [600, 864];
/** @type {readonly [number, number]} */
const NARROW = [230, 616];
const LETTER = 6.4;
const LINE = 14;
const RADIUS = 5;
const MARGIN = 2;
/** @type {readonly NamePlace[]} */
const PLACES = [
  { dx: 9, dy: 4, anchor: "start" },
  { dx: -9, dy: 4, anchor: "end" },
  { dx: 0, dy: -9, anchor: "middle" },
  { dx: 6, dy: -8, anchor: "start" },
  { dx: -6, dy: -8, anchor: "end" },
  { dx: 0, dy: 17, anchor: "middle" },
  { dx: 6, dy: 16, anchor: "start" },
  { dx: -6, dy: 16, anchor: "end" },
];

/**
 * Return the position of each dot's name, as `pages/scatter.py` does; null if there is no room.
 * @param {readonly Dot[]} dots @param {readonly [number, number]} widths  the narrowest and the widest drawing, in pixels @returns {(NamePlace | null)[]}
 */
export function namePlaces(dots, widths = WIDE) {
  /** @type {(NamePlace | null)[]} */
  const places = dots.map(() => null);
  for (const avoidsVerticalLines of [true, false]) {
    for (const index of outermostFirst(dots)) {
      if (places[index]) continue;
      places[index] = PLACES.find((place) => widths.every((width) => hasRoom(dots, places, index, place, width, avoidsVerticalLines))) ?? null;
    }
  }
  return places;
}

/** @param {readonly Dot[]} dots @returns {number[]} positions of dots, those with the most extreme scores first */
function outermostFirst(dots) {
  const last = dots.length - 1;
  const depths = dots.map(() => last);
  for (const axis of /** @type {const} */ (["x", "y"])) {
    const order = dots.map((_, index) => index).sort((first, second) => dots[first][axis] - dots[second][axis]);
    for (const [rank, index] of order.entries()) depths[index] = Math.min(depths[index], rank, last - rank);
  }
  return dots.map((_, index) => index).sort((first, second) => depths[first] - depths[second]);
}

/**
 * @param {readonly Dot[]} dots @param {readonly (NamePlace | null)[]} places @param {number} index @param {NamePlace} place @param {number} width @param {boolean} avoidsVerticalLines
 * @returns {boolean} whether a dot's name has room at a position
 */
function hasRoom(dots, places, index, place, width, avoidsVerticalLines) {
  const box = nameBox(dots[index], place, width);
  if (box[0] < 0 || box[2] > width || box[1] < -LINE || box[3] > HEIGHT + RADIUS) return false;
  const reach = Math.max(distance(dots[index], box, width), RADIUS) + MARGIN;
  return dots.every((dot, other) => {
    if (other !== index && distance(dot, box, width) < reach) return false;
    const name = places[other];
    if (name && overlap(box, nameBox(dot, name, width))) return false;
    return !hasLine(dot, box, width, avoidsVerticalLines || other === index);
  });
}

/** @param {Dot} dot @param {NamePlace} place @param {number} width @returns {Box} */
function nameBox({ name, x, y }, { dx, dy, anchor }, width) {
  const length = name.length * LETTER;
  const left = (x / 100) * width + dx - { start: 0, middle: length / 2, end: length }[anchor];
  const bottom = y + dy + 3;
  return [left, bottom - LINE, left + length, bottom];
}

/** @param {Dot} dot @param {Box} box @param {number} width @returns {number} from the centre of a dot to a box, in pixels */
function distance(dot, [left, top, right, bottom], width) {
  const x = (dot.x / 100) * width;
  return Math.hypot(Math.max(left - x, x - right, 0), Math.max(top - dot.y, dot.y - bottom, 0));
}

/** @param {Dot} dot @param {Box} box @param {number} width @param {boolean} isVerticalConsidered @returns {boolean} whether a box is on an interval's line of a dot */
function hasLine({ x, y, acrossLine, upLine }, box, width, isVerticalConsidered) {
  if (acrossLine && overlap(box, [(acrossLine[0] / 100) * width, y - 1, (acrossLine[1] / 100) * width, y + 1])) return true;
  const middle = (x / 100) * width;
  return Boolean(upLine && isVerticalConsidered && overlap(box, [middle - 1, upLine[0], middle + 1, upLine[1]]));
}

/** @param {readonly number[]} box @param {readonly number[]} other */
function overlap(box, other) {
  return box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
}

/** @param {HTMLElement | undefined} cell @returns {Cell | null} the values of a cell in the table; null for a gap */
function cellOf(cell) {
  if (!cell || cell.dataset.value === undefined) return null;
  const { value, rank, firstRank, lastRank, low, high } = cell.dataset;
  return {
    value: Number(value),
    rank: rank === undefined ? null : Number(rank),
    ranks: firstRank === undefined ? null : { first: Number(firstRank), last: Number(lastRank) },
    low: low === undefined ? null : Number(low),
    high: high === undefined ? null : Number(high),
    reported: cell.dataset.reported !== undefined,
    text: cell.querySelector("a")?.textContent ?? "",
  };
}

/** @type {ReadonlyMap<string | undefined, string>} */
const WEIGHTS = new Map([["yes", "open"], ["no", "closed"]]);

/** @typedef {{ row: HTMLTableRowElement, name: string, weights: string, released: string | null, count: number, cells: ReadonlyMap<string, Cell | null>, mean: MeanRank | null }} Line */

/** @param {HTMLTableRowElement} row @returns {Line} */
function lineOf(row) {
  const cells = [...row.querySelectorAll("td")].filter(({ dataset }) => dataset.board);
  const released = row.querySelector("[data-released]")?.textContent?.trim() ?? "–";
  return {
    row,
    name: row.dataset.agent ?? "",
    weights: WEIGHTS.get(row.dataset.openWeights) ?? "",
    released: released === "–" ? null : released,
    count: Number(part("[data-boards]", HTMLElement, row).dataset.boards),
    cells: new Map(cells.map((cell) => [cell.dataset.board ?? "", cellOf(cell)])),
    mean: null,
  };
}

/** @param {Line} line @param {string} key @returns {number | string | null} the value that a line is sorted by in a column */
function sortValue(line, key) {
  switch (key) {
    case "agent": return line.name.toLowerCase();
    case "weights": return line.weights || null;
    case "released": return line.released;
    case "boards": return line.count;
    case MEAN: return line.mean?.mean ?? null;
    default: return line.cells.get(key)?.value ?? null;
  }
}

/** Sorts and filters the table, and draws two boards. */
function mountAgents() {
  if (!document.querySelector("[data-matrix-tools]")) return;
  const table = part("table[data-matrix]", HTMLTableElement);
  const tools = part("[data-matrix-tools]", HTMLElement);
  const heads = [...table.tHead?.rows[0].cells ?? []];
  const boardHeads = heads.filter(({ dataset }) => dataset.axis);
  const lines = [...table.tBodies[0].rows].map(lineOf);
  const titles = new Map(boardHeads.map(({ dataset }) => [dataset.column ?? "", dataset.title ?? ""]));
  const scatter = document.querySelector("[data-scatter]");
  const sorted = heads.find(({ ariaSort }) => ariaSort && ariaSort !== "none");
  /** @type {Known} */
  const known = {
    columns: heads.map(({ dataset }) => ({ key: dataset.column ?? "", first: dataset.first === "ascending" ? "ascending" : "descending" })),
    boards: [...titles.keys()],
    sort: { key: sorted?.dataset.column ?? "", direction: sorted?.ariaSort === "ascending" ? "ascending" : "descending" },
    pair: scatter instanceof HTMLElement ? [scatter.dataset.across ?? "", scatter.dataset.up ?? ""] : ["", ""],
  };
  let view = readView(location.search, known);
  const status = part("[data-shown]", HTMLElement);
  const weightsList = part("[data-choice=weights]", HTMLSelectElement, tools);
  weightsList.addEventListener("change", () => step({ weights: /** @type {View["weights"]} */ (weightsList.value) }));
  const sortList = part("[data-choice=sort]", HTMLSelectElement, tools);
  sortList.addEventListener("change", () => step({ sort: { key: sortList.value, direction: firstOf(sortList.value) } }));
  const boxes = [...tools.querySelectorAll("input")];
  for (const box of boxes) box.addEventListener("change", () => chooseBoard(box.value, box.checked));
  const reset = part("[data-reset]", HTMLButtonElement, tools);
  reset.addEventListener("click", () => step({ sort: known.sort, weights: "", boards: [] }));
  tools.dataset.ready = "";
  for (const head of heads) mountHead(head);
  const draw = scatter instanceof HTMLElement ? mountScatter(scatter, table, lines, titles, (pair) => step(pair)) : null;
  addEventListener("popstate", () => {
    view = readView(location.search, known);
    show();
  });
  show();

  /** @param {Partial<View>} change  undone by the back button */
  function step(change) {
    view = { ...view, ...change };
    const query = writeView(view, known, location.search);
    if (query !== location.search) history.pushState(null, "", location.pathname + query + location.hash);
    show();
  }

  /** @param {string} key @param {boolean} on */
  function chooseBoard(key, on) {
    const chosen = withItem(view.boards, key, on);
    const boards = known.boards.filter((board) => chosen.includes(board));
    const isGone = (view.sort.key === MEAN && boards.length < 2) || (boards.length > 0 && titles.has(view.sort.key) && !boards.includes(view.sort.key));
    const isUsual = isSame(view.sort, usualSort(known, view.boards));
    step({ boards, sort: isGone || isUsual ? usualSort(known, boards) : view.sort });
  }

  /** @param {string} key @returns {Direction} the direction in which a column is first sorted */
  function firstOf(key) {
    return key === MEAN ? "ascending" : known.columns.find((column) => column.key === key)?.first ?? "descending";
  }

  /** @param {HTMLTableCellElement} head  of a sortable column */
  function mountHead(head) {
    const sorter = part("button", HTMLButtonElement, head);
    sorter.disabled = false;
    sorter.addEventListener("click", () => {
      const key = head.dataset.column ?? "";
      const first = firstOf(key);
      const turned = view.sort.direction === "ascending" ? "descending" : "ascending";
      step({ sort: { key, direction: view.sort.key === key ? turned : first } });
    });
  }

  function show() {
    const shownBoards = view.boards.length ? view.boards : known.boards;
    for (const line of lines) line.mean = view.boards.length > 1 ? meanRank(view.boards.map((key) => line.cells.get(key) ?? null)) : null;
    showMean();
    const left = lines.filter((line) => {
      const hasWeights = !view.weights || line.weights === view.weights;
      const hasBoard = !view.boards.length || view.boards.some((key) => line.cells.get(key));
      line.row.hidden = !hasWeights || !hasBoard;
      return !line.row.hidden;
    });
    for (const head of boardHeads) head.hidden = !shownBoards.includes(head.dataset.column ?? "");
    for (const { row } of lines) {
      for (const cell of row.cells) if (cell.dataset.board) cell.hidden = !shownBoards.includes(cell.dataset.board);
    }
    const ordered = [...lines];
    if (!isSame(view.sort, known.sort)) {
      ordered.sort((first, second) => compared(sortValue(first, view.sort.key), sortValue(second, view.sort.key), view.sort.direction));
    }
    table.tBodies[0].append(...ordered.map(({ row }) => row));
    for (const head of table.tHead?.rows[0].cells ?? []) head.ariaSort = head.dataset.column === view.sort.key ? view.sort.direction : "none";
    weightsList.value = view.weights;
    const sortable = [...table.tHead?.rows[0].cells ?? []].filter(({ hidden }) => !hidden);
    sortList.replaceChildren(...sortable.map((head) => new Option(head.dataset.title ?? head.querySelector("button")?.textContent ?? "", head.dataset.column)));
    sortList.value = view.sort.key;
    for (const box of boxes) box.checked = view.boards.includes(box.value);
    const isFiltered = left.length < lines.length || view.boards.length > 0;
    const isSorted = !isSame(view.sort, known.sort);
    reset.classList.toggle("sg-away", !isFiltered && !isSorted);
    const words = isFiltered ? [`${left.length} of ${lines.length} agents.`] : [];
    if (view.boards.length > 1) words.push(`Mean rank is your own choice of ${view.boards.length} boards: the mean of an agent’s ranks among all agents of each board, for agents with a rank on all of them, with the mean of the first and last ranks that it may have.`);
    status.textContent = words.join(" ");
    draw?.(view.across, view.up);
  }

  /** Shows the column of mean ranks if several boards are chosen. */
  function showMean() {
    for (const old of table.querySelectorAll(".sg-mean") ?? []) old.remove();
    if (view.boards.length < 2) return;
    const head = element("th", [element("button", "Mean rank", { type: "button" }), element("span", "boards that you chose", { className: "sg-about" })], { className: "sg-mean", scope: "col" }, { column: MEAN, first: "ascending" });
    table.tHead?.rows[0].append(head);
    mountHead(head);
    for (const line of lines) {
      const { mean: own } = line;
      const range = own && own.low !== null && own.high !== null ? `${own.low.toFixed(1)} to ${own.high.toFixed(1)}` : "";
      const inside = own ? [element("span", own.mean.toFixed(1)), ...(range ? [element("span", range, { className: "sg-about" })] : [])] : ["–"];
      line.row.append(element("td", inside, { className: "sg-mean" }, { label: "Mean rank, boards that you chose", ...(own ? { ownMeanRank: String(own.mean) } : {}) }));
    }
  }
}

/**
 * Makes the two boards of the plot selectable.
 * @param {HTMLElement} section @param {HTMLTableElement} table @param {readonly Line[]} lines @param {ReadonlyMap<string, string>} titles  of boards
 * @param {(pair: { across: string, up: string }) => void} choose
 * @returns {(across: string, up: string) => void} draws two boards
 */
function mountScatter(section, table, lines, titles, choose) {
  const tools = part("[data-scatter-tools]", HTMLElement, section);
  const acrossList = part("[data-choice=across]", HTMLSelectElement, tools);
  const upList = part("[data-choice=up]", HTMLSelectElement, tools);
  for (const list of [acrossList, upList]) list.addEventListener("change", () => choose({ across: acrossList.value, up: upList.value }));
  part("[data-swap]", HTMLButtonElement, tools).addEventListener("click", () => choose({ across: upList.value, up: acrossList.value }));
  tools.dataset.ready = "";
  let drawn = [section.dataset.across, section.dataset.up].join();
  return (across, up) => {
    acrossList.value = across;
    upList.value = up;
    if (drawn === [across, up].join()) return;
    drawn = [across, up].join();
    const shared = lines.flatMap(({ name, cells }) => {
      const [first, second] = [cells.get(across), cells.get(up)];
      return first && second ? [{ name, first, second }] : [];
    });
    const headOf = (/** @type {string} */ key) => part(`th[data-column="${CSS.escape(key)}"]`, HTMLTableCellElement, table);
    const [acrossHead, upHead] = [headOf(across), headOf(up)];
    const titleOf = (/** @type {HTMLTableCellElement} */ head) => `${head.dataset.title}: ${head.dataset.metricTitle}`;
    part("[data-across-title]", HTMLElement, section).textContent = titleOf(acrossHead);
    part("[data-up-title]", HTMLElement, section).textContent = titleOf(upHead);
    const hollow = shared.some(({ first, second }) => first.reported || second.reported);
    const agents = shared.length === 1 ? "1 agent has" : `${shared.length || "No"} agents have`;
    const lineWords = hollow ? " Lines: intervals of the scores; hollow dot: at least one of the two scores is reported, not recomputed." : " Lines: intervals of the scores.";
    part("[data-scatter-words]", HTMLElement, section).textContent = `${agents} a score on both boards.${shared.length ? lineWords : ""}`;
    const plot = part("svg", SVGSVGElement, section);
    plot.setAttribute("aria-label", `${shared.length} agents by score on ${titles.get(across)} (horizontal axis) and ${titles.get(up)} (vertical axis); the table above has the scores`);
    plot.replaceChildren(...drawing(shared, JSON.parse(acrossHead.dataset.axis ?? ""), JSON.parse(upHead.dataset.axis ?? ""), Number(section.dataset.height)));
  };
}

/**
 * Draw agents by two boards.
 * @param {readonly { name: string, first: Cell, second: Cell }[]} shared @param {Axis} across @param {Axis} up @param {number} height @returns {SVGElement[]}
 */
function drawing(shared, across, up, height) {
  const x = (/** @type {number} */ value) => 100 * placed(value, across);
  const y = (/** @type {number} */ value) => height * (1 - placed(value, up));
  const percent = (/** @type {number} */ place) => `${place.toFixed(2)}%`;
  const parts = across.marks.flatMap((mark) => [
    shape("line", { class: "sg-grid", x1: percent(x(mark)), x2: percent(x(mark)), y1: 0, y2: height }),
    shape("text", { x: percent(x(mark)), y: height + 18, "text-anchor": "middle" }, [mark.toLocaleString("en")]),
  ]);
  parts.push(...up.marks.flatMap((mark) => [
    shape("line", { class: "sg-grid", x1: 0, x2: "100%", y1: y(mark), y2: y(mark) }),
    shape("text", { x: 0, dx: -8, y: y(mark) + 4, "text-anchor": "end" }, [mark.toLocaleString("en")]),
  ]));
  const dots = shared.map(({ name, first, second }) => ({
    name,
    x: x(first.value),
    y: y(second.value),
    acrossLine: lineBetween(x, first.low, first.high),
    upLine: lineBetween(y, second.high, second.low),
  }));
  const [wide, narrow] = [namePlaces(dots), namePlaces(dots, NARROW)];
  for (const [index, { name, first, second }] of shared.entries()) {
    const dot = dots[index];
    const inside = [shape("title", {}, [`${name}: ${first.text} and ${second.text}`])];
    const { acrossLine, upLine } = dot;
    if (acrossLine) inside.push(shape("line", { class: "sg-cap", x1: percent(acrossLine[0]), x2: percent(acrossLine[1]), y1: dot.y, y2: dot.y }));
    if (upLine) inside.push(shape("line", { class: "sg-cap", x1: percent(dot.x), x2: percent(dot.x), y1: upLine[0], y2: upLine[1] }));
    inside.push(shape("circle", { class: "sg-dot", cx: percent(dot.x), cy: dot.y, r: 5 }));
    if (wide[index] === narrow[index]) {
      inside.push(...nameShapes(dot, wide[index], ""));
    } else {
      inside.push(...nameShapes(dot, wide[index], "sg-wide-name"), ...nameShapes(dot, narrow[index], "sg-narrow-name"));
    }
    const group = shape("g", { class: first.reported || second.reported ? "sg-point sg-reported" : "sg-point" }, inside);
    group.dataset.point = name;
    parts.push(group);
  }
  return parts;
}

/** @param {(value: number) => number} place @param {number | null} start @param {number | null} end @returns {Span} the line of an interval; null if there is no interval */
function lineBetween(place, start, end) {
  return start === null || end === null ? null : [place(start), place(end)];
}

/** @param {Dot} dot @param {NamePlace | null} place @param {string} look  a class; may be empty @returns {SVGElement[]} the name, unless it has no room */
function nameShapes({ name, x, y }, place, look) {
  if (!place) return [];
  return [shape("text", { ...(look && { class: look }), x: `${x.toFixed(2)}%`, y, dx: place.dx, dy: place.dy, "text-anchor": place.anchor }, [name])];
}

/** @param {string} name @param {Readonly<Record<string, string | number>>} attributes @param {readonly (Node | string)[]} [inside] @returns {SVGElement} */
function shape(name, attributes, inside = []) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return /** @type {SVGElement} */ (made);
}

if (globalThis.document) mountAgents(); // tests have no page
