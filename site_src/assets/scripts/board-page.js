// @ts-check
/** Script of pages with a board: sorting, filtering and choosing columns. The table is complete without it. */

/** @import { BoardValues, RankedRow, Row } from "./board-rows.js" */
/** @import { State, View } from "./board-view.js" */
/** @import { Parts } from "./table-parts.js" */
import { addRows, asked, filteredAnswer, filtersOf, heads, inOrder, matching, readTable } from "./board-rows.js";
import { MOST_PICKS, chosen, mountState, needsAllRows, shownColumns } from "./board-view.js";
import { button, element, mountBoxes, mountRecompute, part, rowElements, withItem } from "./element.js";
import { mountTableParts } from "./table-parts.js";

/** Number of visible rows that are sorted at once; a window shows fewer. */
const AT_ONCE = 40;
/** Pause in milliseconds before the remaining rows, so that input is handled first. */
const PAUSE = 50;
/** The width below which the styles hide scores on parts of the tasks. */
const NARROW = "(max-width: 68.6875em)";
/** Names of picked rows in the address of a comparison. */
const LETTERS = "abcd";

const day = new URLSearchParams(location.search).get("release");
const released = /** @type {HTMLAnchorElement | null} */ (day && document.querySelector(`a[data-release="${CSS.escape(day)}"]`));
if (released) {
  location.replace(released.href); // a released board has its own page
} else {
  const table = part("table[data-board]", HTMLTableElement);
  const parts = mountTableParts(table, document.querySelector("[data-parts]"));
  if (!parts.isWhole && (needsAllRows(location.search, readTable(table).known) || isElsewhere())) {
    parts.load().then(() => {
      mountPage(table, parts);
      goToRow();
    });
  } else {
    mountPage(table, parts);
  }
  if (!parts.isWhole) addEventListener("hashchange", () => isElsewhere() && parts.load().then(goToRow));
}

/** @param {HTMLTableElement} table @param {Parts} parts */
function mountPage(table, parts) {
  mountBoard(table, document.querySelector("[data-toolbar]"), parts);
  delete document.documentElement.dataset.viewing;
  mountRecompute();
}

/** @returns {HTMLElement | null} the element in the address */
function target() {
  return document.getElementById(decodeURIComponent(location.hash.slice(1)));
}

/** @returns {boolean} whether the element in the address is not on the page; it may be a row in another part */
function isElsewhere() {
  return location.hash.length > 1 && !target();
}

function goToRow() {
  target()?.scrollIntoView();
}

/** @param {HTMLTableElement} table @param {HTMLElement | null} toolbar @param {Parts} parts */
function mountBoard(table, toolbar, parts) {
  const board = readTable(table);
  if (!board.rows.length) return;
  parts.follow((rows) => addRows(board, rows));
  const state = mountState(board.known, parts);
  mountHeads(table, board, state);
  mountRows(table, board, state, parts);
  mountPicks(table, board.rows, state, parts);
  mountSplits(table, board, state, parts);
  mountAnswer(table, board, state);
  if (toolbar) mountToolbar(toolbar, table, board, state, parts);
  if (table.dataset.taskScores) mountTaskChoice(table, toolbar, state);
  else if (new URLSearchParams(location.search).has("tasks")) sayNoTasks(table, board.rows);
  parts.follow(state.reread);
}

/** Score the board over the tasks of the view; the code is loaded when a view or a reader needs it. @param {HTMLTableElement} table @param {HTMLElement | null} toolbar @param {State} state */
function mountTaskChoice(table, toolbar, state) {
  /** @type {Promise<void> | undefined} */
  let mounted;
  const mount = () => (mounted ??= import("./board-tasks.js").then(({ mountTasks }) => mountTasks(table, toolbar, state)));
  const menu = toolbar?.querySelector("[data-tasks]");
  for (const turn of ["pointerenter", "focusin", "toggle"]) menu?.addEventListener(turn, mount, { once: true });
  state.follow(({ tasks, weights }) => {
    if (mounted || (!tasks.length && !weights.length)) return;
    const { dataset } = document.documentElement;
    setTimeout(() => (dataset.viewing = "")); // numbers over all tasks are hidden until then
    mount().finally(() => setTimeout(() => delete dataset.viewing));
  });
}

/** Say that a board has no choice of tasks, and why. @param {HTMLTableElement} table @param {readonly Row[]} rows */
function sayNoTasks(table, rows) {
  const published = rows.filter(({ facets: { evidence } }) => evidence === "reported").length;
  const reason = published === rows.length ? `its ${published} agents have only published scores, without results by task` : "its tasks have no labels to choose by";
  const notice = element("p", `This board shows all tasks. It cannot be recomputed over some of them: ${reason}.`, { className: "sg-notice" });
  notice.setAttribute("role", "status");
  (table.closest(".sg-scroll") ?? table).before(notice);
}

/** Sort by a column when its head is pressed. @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
function mountHeads(table, { columns }, state) {
  for (const [index, head] of heads(table).entries()) {
    const { key, first } = columns[index];
    const press = head.querySelector("button");
    if (!press) continue;
    const second = press.appendChild(element("span", [], { className: "sg-unseen" }));
    press.disabled = false;
    press.addEventListener("click", (event) => {
      state.step({ sorts: chosen(state.view.sorts, key, first, event.shiftKey) });
    });
    state.follow(({ sorts: [main, other] }) => {
      head.ariaSort = main?.key === key ? main.direction : "none";
      if (other?.key === key) head.dataset.second = other.direction;
      else delete head.dataset.second;
      second.textContent = other?.key === key ? `(second, ${other.direction})` : "";
    });
  }
}

/** Show the rows and columns of the view, in its order. @param {HTMLTableElement} table @param {BoardValues} board @param {State} state @param {Parts} parts */
function mountRows(table, { columns, rows }, state, parts) {
  const elements = new Map(rowElements(table).map((row) => [row.dataset.submission, row]));
  const keys = columns.map(({ key }) => key);
  let stop = () => {};
  /** @type {View["columns"] | undefined} */
  let columnsNow;
  parts.follow((added) => {
    for (const row of added) elements.set(row.dataset.submission, row);
    columnsNow = undefined;
  });
  state.follow((view) => {
    const order = inOrder(rows, view);
    const ids = new Set(matching(order, view).map(({ id }) => id));
    for (const [id, row] of elements) row.hidden = !ids.has(id ?? "");
    stop();
    stop = arrange(table, order.flatMap((row) => elements.get(row.id) ?? []));
    if (view.columns === columnsNow) return;
    columnsNow = view.columns;
    const shown = shownColumns(keys, view.columns);
    for (const row of [...table.tHead?.rows ?? [], ...rowElements(table)]) {
      for (const [index, cell] of [...row.cells].entries()) cell.hidden = !shown.has(keys[index]);
    }
  });
}

/**
 * Sort rows: the first visible ones at once, the other rows of a long board after these were painted.
 * @param {HTMLTableElement} table @param {readonly HTMLTableRowElement[]} rows @returns {() => void} cancels the remaining work
 */
function arrange(table, rows) {
  const now = rowElements(table);
  if (rows.every((row, index) => row === now[index])) return () => {};
  const seen = rows.filter((row) => !row.hidden).slice(0, AT_ONCE).at(-1);
  const first = seen ? rows.indexOf(seen) + 1 : rows.length;
  table.tBodies[0]?.prepend(...rows.slice(0, first));
  if (first === rows.length) return () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(() => table.tBodies[0]?.append(...rows.slice(first)), PAUSE);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** Say who is best among the filtered agents, since the page's heading is about all agents. @param {HTMLTableElement} table @param {BoardValues} board @param {State} state */
function mountAnswer(table, { rows }, state) {
  const answer = document.querySelector("[data-answer]");
  if (!(answer instanceof HTMLElement)) return;
  const aboutAll = [answer, ...document.querySelectorAll(".sg-sure")].filter((place) => place instanceof HTMLElement);
  const aboutShown = element("span", [], {}, { answer: "filtered" });
  const headline = heads(table).find(({ classList }) => classList.contains("sg-headline"));
  const first = headline?.dataset.first === "ascending" ? "ascending" : "descending";
  state.follow((view) => {
    const all = asked(rows, view);
    const shown = new Set(matching(all, view).map(({ id }) => id));
    const isFiltered = shown.size < all.length;
    for (const place of aboutAll) place.style.display = isFiltered ? "none" : "";
    aboutShown.remove();
    if (!isFiltered) return;
    const ids = new Set(all.map(({ id }) => id));
    const ranked = rowElements(table).filter(({ dataset }) => ids.has(dataset.submission ?? "")).map((row) => rankedRow(row, shown));
    aboutShown.textContent = filteredAnswer(ranked, first);
    answer.after(aboutShown);
  });
}

/** @param {HTMLTableRowElement} row @param {ReadonlySet<string>} shown  ids @returns {RankedRow} */
function rankedRow(row, shown) {
  const rank = row.querySelector(".sg-rank");
  const value = rank instanceof HTMLElement ? rank.dataset.value : "";
  return {
    agent: row.querySelector(".sg-agent a")?.textContent?.trim() ?? "",
    rank: value ? Number(value) : null,
    rankText: rank?.firstChild?.textContent?.trim() ?? "",
    score: row.querySelector(".sg-headline .sg-value")?.textContent?.trim() ?? "",
    isShown: shown.has(row.dataset.submission ?? ""),
  };
}

/** Make rows selectable, on a board with a page that compares them. @param {HTMLTableElement} table @param {readonly Row[]} rows @param {State} state @param {Parts} parts */
function mountPicks(table, rows, state, parts) {
  const page = table.dataset.compare;
  if (!page) return;
  let names = namesOf(rows);
  const mount = (/** @type {readonly HTMLTableRowElement[]} */ some) => mountBoxes(table, (id) => `Select ${names.get(id)} to compare`, MOST_PICKS, (id, on) => {
    state.step({ picks: withItem(state.view.picks, id, on) });
  }, some);
  const boxes = [mount(rowElements(table))];
  parts.follow((added) => {
    names = namesOf(rows);
    boxes.push(mount(added));
  });
  const told = element("span");
  const go = element("a", "Compare", { className: "sg-go" });
  const bar = element("div", [told, go, button("Clear", () => state.step({ picks: [] }))], { className: "sg-picked", ariaLabel: "Agents to compare" });
  bar.setAttribute("role", "region");
  (table.closest(".sg-scroll") ?? table).after(bar);
  state.follow(({ picks }) => {
    for (const showPicks of boxes) showPicks(picks);
    bar.hidden = !picks.length;
    go.hidden = picks.length < 2;
    go.href = `${page}?${new URLSearchParams(picks.map((id, index) => [LETTERS[index], id]))}`;
    told.textContent = picks.map((id) => names.get(id) ?? id).join(", ") + (picks.length < 2 ? ": select one more to compare" : "");
  });
}

/** @param {readonly Row[]} rows @returns {Map<string, string>} names of rows by id; rows of one agent with the settings that distinguish them */
function namesOf(rows) {
  const counts = new Map();
  for (const { agent } of rows) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return new Map(rows.map((row) => {
    const about = [row.facets.scaffold, row.facets.reasoning].filter(Boolean).join(", ") || row.id;
    return [row.id, counts.get(row.agent) === 1 ? row.agent : `${row.agent} (${about})`];
  }));
}

/**
 * In a narrow window, let a row's scores on parts of the tasks open below it; they are open if the view sorts by or shows such scores.
 *
 * @param {HTMLTableElement} table @param {BoardValues} board @param {State} state @param {Parts} parts
 */
function mountSplits(table, { columns, rows }, state, parts) {
  const splits = new Set(columns.filter(({ measure }) => measure?.axis).map(({ key }) => key));
  if (!splits.size) return;
  state.follow(({ sorts: [sort], columns: shown }) => {
    table.classList.toggle("sg-opened", shown !== null || splits.has(sort?.key ?? ""));
  });
  const mount = (/** @type {readonly HTMLTableRowElement[]} */ some) => {
    const names = new Map(rows.map(({ id, agent }) => [id, agent]));
    for (const row of some) {
      const opener = button("▾", () => {
        const isOpen = row.classList.toggle("sg-opened");
        opener.ariaExpanded = String(isOpen);
        opener.textContent = isOpen ? "▴" : "▾";
      }, "sg-opener");
      opener.ariaExpanded = "false";
      opener.ariaLabel = `${names.get(row.dataset.submission ?? "") ?? ""}: scores by kind of task`;
      row.cells[0]?.append(opener);
    }
  };
  const narrow = matchMedia(NARROW);
  let isNarrow = narrow.matches;
  const mountAll = () => {
    isNarrow = true;
    mount(rowElements(table));
  };
  parts.follow((added) => isNarrow && mount(added));
  if (isNarrow) mountAll();
  else narrow.addEventListener("change", mountAll, { once: true });
}

/**
 * The toolbar above a board: menus, the number of rows shown, and export files.
 * @param {HTMLElement} toolbar @param {HTMLTableElement} table @param {BoardValues} board @param {State} state @param {Parts} parts
 */
function mountToolbar(toolbar, table, board, state, parts) {
  mountMenus(toolbar, board, state, parts);
  for (const file of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("a[data-export]"))) {
    file.addEventListener("click", async (event) => {
      const { view } = state;
      if (state.isPlain) return; // its link has the complete board
      event.preventDefault();
      if (!(await parts.load())) return;
      (await import("./board-export.js")).saveView(file.dataset.export === "csv" ? "csv" : "json", table, board, view);
    });
  }
  const count = part("[data-shown]", HTMLElement, toolbar);
  const reset = part("a[data-reset]", HTMLAnchorElement, toolbar);
  reset.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    state.reset();
  });
  state.follow((view) => {
    const [shown, all] = [matching(board.rows, view).length, asked(board.rows, view).length];
    const kind = board.columns.find(({ key, measure }) => measure?.axis && key === view.sorts[0]?.key);
    table.classList.toggle("sg-partial", Boolean(kind)); // ranks are over all tasks
    const order = kind ? `Ordered by ${kind.title} tasks only, without ranks` : "";
    const noun = all === 1 ? "agent" : "agents";
    const rows = shown ? `${shown} of ${all} ${noun}` : `No agent matches: 0 of ${all} ${noun}`;
    count.textContent = [order, shown < all ? rows : ""].filter(Boolean).join("; ");
    reset.href = state.plain;
    reset.classList.toggle("sg-away", state.isPlain);
  });
  toolbar.dataset.ready = "";
}

/** Show how much is chosen in each menu; the contents are loaded when a menu is first used. @param {HTMLElement} toolbar @param {BoardValues} board @param {State} state @param {Parts} parts */
function mountMenus(toolbar, board, state, parts) {
  const turnedTo = new AbortController();
  const fill = async () => {
    turnedTo.abort();
    await parts.load(); // menus offer the values of all rows
    (await import("./board-menus.js")).fillMenus(toolbar, board, state);
  };
  for (const menu of toolbar.querySelectorAll("details:not([data-tasks])")) {
    const turns = parts.isWhole ? ["pointerenter", "focusin", "toggle"] : ["toggle"];
    for (const turn of turns) menu.addEventListener(turn, fill, { signal: turnedTo.signal });
  }
  const [filters, columns] = ["filters", "columns"].map((name) => part(`[data-${name}] [data-chosen]`, HTMLElement, toolbar));
  const keys = board.columns.map(({ key }) => key);
  state.follow((view) => {
    filters.textContent = filtersOf(view) ? ` (${filtersOf(view)})` : "";
    columns.textContent = view.columns ? ` (${shownColumns(keys, view.columns).size})` : "";
  });
}
