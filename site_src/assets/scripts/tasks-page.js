// @ts-check
/** Script of the page of a track's tasks if they have labels: filters by label, and totals of the filtered tasks. */

import { element, part } from "./element.js";

/** @typedef {Readonly<Record<string, string>>} Labels  by axis */
/** @typedef {[passed: number, of: number, finished: number]} Tally  of a submission */
/** @typedef {{ labels: Labels, tallies: readonly Tally[] }} TaskLine */

/** @param {Labels} labels @param {Labels} chosen @returns {boolean} whether a task has every chosen label */
export function fits(labels, chosen) {
  return Object.entries(chosen).every(([axis, value]) => labels[axis] === value);
}

/** @param {readonly TaskLine[]} lines @returns {Tally[]} the totals of all lines for each submission */
export function totals(lines) {
  const columns = lines[0]?.tallies ?? [];
  return columns.map((_, place) => lines.reduce(
    (/** @type {Tally} */ sum, { tallies }) => [sum[0] + tallies[place][0], sum[1] + tallies[place][1], sum[2] + tallies[place][2]],
    [0, 0, 0],
  ));
}

/** @param {readonly TaskLine[]} lines @param {string} axis @returns {string[]} the values that tasks have, in order */
export function valuesOf(lines, axis) {
  return [...new Set(lines.flatMap(({ labels }) => labels[axis] ?? []))].sort();
}

/** Offers a list for each axis; the choices are stored in the address. */
function mountTaskFilters() {
  const form = part("[data-task-filters]", HTMLFormElement);
  const table = part("table.sg-tasks", HTMLTableElement);
  const shown = part("[data-shown]", HTMLElement);
  const all = shown.textContent;
  const rows = [...table.tBodies[0].rows].map((row) => ({
    row,
    /** @type {Labels} */ labels: JSON.parse(row.dataset.labels ?? "{}"),
    /** @type {Tally[]} */ tallies: JSON.parse(row.dataset.tallies ?? "[]"),
  }));
  /** @type {Labels} */
  const axes = JSON.parse(form.dataset.axes ?? "{}");
  const lists = Object.entries(axes).map(([axis, title]) => {
    const options = valuesOf(rows, axis).map((value) => new Option(value, value));
    const list = element("select", [new Option("all", ""), ...options], { name: axis, autocomplete: "off" });
    list.addEventListener("change", choose);
    form.append(element("label", [`${title} `, list]));
    return list;
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", read);
  read();

  function choose() {
    const query = new URLSearchParams(location.search);
    for (const { name, value } of lists) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    history.pushState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    show();
  }

  function read() {
    const query = new URLSearchParams(location.search);
    for (const list of lists) {
      const asked = query.get(list.name);
      list.value = [...list.options].some(({ value }) => value === asked) ? asked ?? "" : "";
    }
    show();
  }

  function show() {
    const chosen = Object.fromEntries(lists.filter(({ value }) => value).map(({ name, value }) => [name, value]));
    const left = rows.filter((each) => {
      each.row.hidden = !fits(each.labels, chosen);
      return !each.row.hidden;
    });
    shown.textContent = left.length === rows.length ? all : `${left.length} of ${rows.length} ${rows.length === 1 ? "task" : "tasks"}; totals are over these`;
    const sums = totals(left);
    const counting = left.filter(({ row }) => row.dataset.taskShare !== undefined);
    const finished = counting.filter(({ tallies }) => tallies.some((tally) => tally[2])).length;
    const add = (/** @type {0 | 1} */ part) => sums.reduce((sum, tally) => sum + tally[part], 0);
    fill("passed", sums.map(([passed, of]) => [passed, of]), [add(0), add(1)]);
    fill("finished", sums.map((tally) => [tally[2], counting.length]), [finished, counting.length]);
  }

  /** @param {string} foot @param {readonly number[][]} pairs  by submission @param {readonly number[]} whole */
  function fill(foot, pairs, whole) {
    const row = part(`tr[data-foot="${foot}"]`, HTMLTableRowElement, table);
    const [last] = [...row.querySelectorAll("td.sg-total")].filter(({ textContent }) => textContent?.trim());
    const cells = row.querySelectorAll("td:not(.sg-total)");
    for (const [place, [k, n]] of pairs.entries()) cells[place].replaceChildren(`${k} `, element("span", `/ ${n}`));
    last.textContent = whole.join(" / ");
  }
}

if (globalThis.document) mountTaskFilters(); // tests have no page
