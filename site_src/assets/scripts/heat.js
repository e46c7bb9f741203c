// @ts-check
/** Arrow keys on heat maps and on strips of rounds: they move between cells, and Enter opens the link in a cell. */

/** Steps in columns and rows; Infinity moves to the end. @type {Record<string, [number, number]>} */
const STEPS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

/**
 * Finds the next stop in a direction; the last stop for an infinite step.
 * @template T @param {T[]} places  in order @param {number} from @param {number} step  how far, negative for backwards; infinite for the end @param {(place: T) => boolean} isStop
 * @returns {T | undefined}
 */
export function stopOn(places, from, step, isStop) {
  const way = step < 0 ? places.slice(0, from).reverse() : places.slice(from + 1);
  const stops = way.filter(isStop);
  return Number.isFinite(step) ? stops[0] : stops.at(-1);
}

/** @param {Element} cell  @returns {Element | null}  its link; the cell itself for a case without a link */
function stopIn(cell) {
  return cell.querySelector("a") ?? (cell.matches(".sg-heat--cases td") && cell.textContent?.trim() ? cell : null);
}

/** @param {Element | undefined} cell */
const isStop = (cell) => cell !== undefined && cell.matches("td, .sg-step") && stopIn(cell) !== null;

/** @param {Element} focused @param {[number, number]} step @returns {Element | undefined} */
function neighbour(focused, [columns, rows]) {
  const round = focused.closest(".sg-step");
  if (round?.parentElement && columns) {
    const rounds = [...round.parentElement.children];
    return stopOn(rounds, rounds.indexOf(round), columns, isStop);
  }
  const cell = /** @type {HTMLTableCellElement | null} */ (focused.closest(".sg-heat td"));
  const row = cell && /** @type {HTMLTableRowElement} */ (cell.parentElement);
  const table = row?.closest("table");
  if (!cell || !row || !table) return undefined;
  if (columns) return stopOn([...row.cells], cell.cellIndex, columns, isStop);
  const column = [...table.rows].map((each) => each.cells[cell.cellIndex]);
  return stopOn(column, row.rowIndex, rows, isStop);
}

/** Lets arrow keys, Home and End move the focus. Links are still reachable by Tab, as without scripts. */
export function mountHeat() {
  document.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const isPlain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    if (!step || !isPlain || !(event.target instanceof Element)) return;
    const cell = neighbour(event.target, step);
    const stop = cell && /** @type {HTMLElement | null} */ (stopIn(cell));
    if (!stop) return;
    event.preventDefault();
    if (stop === cell) stop.tabIndex = -1;
    stop.focus();
  });
}
