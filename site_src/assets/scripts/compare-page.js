// @ts-check
/** Script of the page that compares rows, which lists every row without it. */

/** @import { Choice, ComparisonFile } from "./compare-facts.js" */
import { SLOTS, attemptsLevel, hasRounds, position, readChoice, slotsFor, withRow, withSlot, writeChoice } from "./compare-facts.js";
import { letter, orderSentences, pointsTables, readMarks, roundCounts, roundsTable, scoresTables, verdict } from "./compare-tables.js";
import { checkbox, element, mountBoxes, part, rowElements } from "./element.js";
import { mountTableParts } from "./table-parts.js";

const NO_DATA = "The comparison could not be loaded. The scores are in the table below; try reloading the page.";
const OLD_DATA = "The comparison data is older than this page and lacks one of its agents; reload the page.";

mountComparison();

/** Show the comparison in the page's address. */
function mountComparison() {
  const table = part("table[data-rows]", HTMLTableElement);
  const parts = mountTableParts(table, document.querySelector("[data-parts]"));
  const names = new Map(namesOf(rowElements(table)));
  const read = () => readChoice(location.search, new Set(names.keys()));
  let choice = read();

  /** @param {readonly string[]} ids @param {boolean} [all] */
  const choose = (ids, all = choice.all) => {
    const search = writeChoice(ids, all, location.search);
    if (search !== location.search) history.pushState(null, "", location.pathname + search);
    show();
  };
  const slots = mountSlots((slot, id) => choose(withSlot(choice.ids, slot, id)));
  /** @type {((ids: readonly string[]) => void)[]} */
  const boxes = [];
  const addRows = (/** @type {readonly HTMLTableRowElement[]} */ rows) => {
    for (const [id, name] of namesOf(rows)) names.set(id, name);
    slots.add(rows);
    boxes.push(mountBoxes(table, (id) => `Compare ${names.get(id)}`, SLOTS.length, (id, on) => choose(withRow(choice.ids, id, on)), rows));
  };
  addRows(rowElements(table));
  table.dataset.picked = "";
  const compare = mountFacts(table, names, (all) => choose(choice.ids, all));
  const show = () => {
    choice = read();
    slots.show(choice.ids);
    for (const showBoxes of boxes) showBoxes(choice.ids);
    return compare(choice);
  };
  addEventListener("popstate", show);
  parts.follow((rows) => {
    addRows(rows);
    show();
  });
  const rows = part("[data-waiting]", HTMLElement);
  rows.dataset.waiting = "script";
  const whole = choice.unknown.length ? parts.load() : Promise.resolve(true); // rows of agents further down are in other parts
  whole.then(show).finally(() => rows.removeAttribute("data-waiting"));
}

/** @param {readonly HTMLTableRowElement[]} rows @returns {[string, string][]} ids and names */
function namesOf(rows) {
  return rows.map(({ dataset: { submission = "", name = "" } }) => [submission, name]);
}

/**
 * Offer rows in a list for each slot.
 * @param {(slot: number, id: string) => void} choose  "" clears the slot
 * @returns {{ add: (rows: readonly HTMLTableRowElement[]) => void, show: (ids: readonly string[]) => void }} functions that offer more rows, and show a choice
 */
function mountSlots(choose) {
  const form = part("[data-choice]", HTMLElement);
  const options = (/** @type {readonly HTMLTableRowElement[]} */ rows) => rows.map((row) => {
    const { submission = "", name = "", status } = row.dataset;
    const place = row.querySelector(".sg-rank")?.textContent?.trim() ?? "";
    return new Option(status === "published" ? `${place} · ${name}` : name, submission);
  });
  const lists = SLOTS.map((slot, index) => {
    const list = element("select", [new Option("–", "")], { name: slot, autocomplete: "off" });
    list.addEventListener("change", () => choose(index, list.value));
    const label = element("label", [element("span", "Agent", { className: "sg-unseen" }), letter(index), list]);
    form.append(label);
    return { label, list };
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  const show = (/** @type {readonly string[]} */ ids) => {
    for (const [index, { label, list }] of lists.entries()) {
      label.hidden = index >= slotsFor(ids.length);
      list.disabled = index > ids.length;
      for (const each of list.options) each.disabled = each.value !== ids[index] && ids.includes(each.value);
      list.value = ids[index] ?? "";
    }
  };
  const add = (/** @type {readonly HTMLTableRowElement[]} */ rows) => {
    for (const { list } of lists) list.append(...options(rows));
  };
  return { add, show };
}

/**
 * @param {HTMLTableElement} table @param {ReadonlyMap<string, string>} names @param {(all: boolean) => void} choose  called with whether tasks with equal results are shown
 * @returns {(choice: Choice) => Promise<void>} shows the facts about a choice
 */
function mountFacts(table, names, choose) {
  const section = part("[data-comparison]", HTMLElement);
  const { document: address = "", headline = "", most = "" } = section.dataset;
  const told = part("[data-told]", HTMLElement);
  const load = loader(address);
  const showRounds = mountRounds(section, names, choose);
  const title = document.title;
  const [answer, sure] = [document.querySelector("[data-answer]"), document.querySelector(".sg-sure")];
  const said = [answer?.textContent ?? "", sure?.textContent ?? ""];
  /** @type {Choice | null} */
  let latest = null;
  return async (choice) => {
    latest = choice;
    const { ids } = choice;
    document.title = ids.length > 1 ? `${ids.map((id) => names.get(id)).join(" vs. ")} · ${title}` : title;
    if (ids.length > 1 && section.hidden) told.textContent = "Loading the comparison…";
    const file = ids.length > 1 ? await load() : null;
    if (choice !== latest) return;
    const isWhole = file !== null && ids.every((id) => position(file, id) >= 0);
    if (isWhole) {
      const shown = { file, ids, names, headline };
      section.querySelector("[data-order]")?.replaceChildren(...orderSentences(shown));
      section.querySelector("[data-scores]")?.replaceChildren(...scoresTables(table, shown));
      const points = pointsTables(shown, section.dataset.base ?? "", section.dataset.round ?? "");
      section.querySelector("[data-contributions]")?.replaceChildren(...points);
      section.querySelector("[data-contributing]")?.toggleAttribute("hidden", !points.length);
      showRounds(file, choice);
    }
    const [first, second] = (isWhole && verdict({ file, ids, names, headline })) || said;
    // Names such as GPT-5.5 stay on one line.
    answer?.replaceChildren(...first.split(" ").flatMap((word, place) => [place ? " " : "", element("span", word, { className: word.length < 24 ? "sg-whole" : "" })]));
    if (sure) sure.textContent = second;
    if (isWhole && section.hidden) table.closest("details")?.removeAttribute("open");
    section.hidden = !isWhole;
    const lacking = ids.filter((id) => file && position(file, id) < 0).map((id) => names.get(id) ?? id);
    const tooLow = `${lacking.join(" and ")} ${lacking.length === 1 ? "ranks" : "rank"} too low: only the best ${most} agents can be compared.`;
    const trouble = isWhole || ids.length < 2 ? [] : [!file ? NO_DATA : most ? tooLow : OLD_DATA];
    told.textContent = [...remarks(choice, names), ...trouble].join(" ");
  };
}

/** @param {HTMLElement} section @param {ReadonlyMap<string, string>} names @param {(all: boolean) => void} choose @returns {(file: ComparisonFile, choice: Choice) => void} */
function mountRounds(section, names, choose) {
  const [filter, place, legend, counts] = ["[data-filter]", "[data-rounds]", ".sg-legend", "[data-counts]"].map((name) => section.querySelector(name));
  if (!filter || !place || !legend || !counts) return () => {}; // a board without results by round
  const page = { base: section.dataset.base ?? "", round: section.dataset.round ?? "", marks: readMarks(legend) };
  const about = element("span");
  const label = checkbox("", ["Only tasks where they differ"], (on) => choose(!on));
  const box = part("input", HTMLInputElement, label);
  filter.append(about, label);
  return (file, { ids, all }) => {
    const shown = { file, ids, names, headline: "" };
    const { told, tables } = roundsTable(shown, page, all);
    counts.replaceChildren(...roundCounts(shown, page));
    if (all) place.closest("details")?.setAttribute("open", "");
    box.checked = !all;
    about.textContent = [told, attemptsNote(file, ids)].filter(Boolean).join(" ");
    legend.toggleAttribute("hidden", !tables.length);
    place.replaceChildren(...tables);
  };
}

/** @param {ComparisonFile} file @param {readonly string[]} ids @returns {string} */
function attemptsNote(file, ids) {
  const known = ids.filter((id) => hasRounds(file, id));
  const most = Math.max(0, ...known.map((id) => file.rows[position(file, id)].rounds.length)) - 1;
  const level = known.length > 1 ? attemptsLevel(file, known) : most;
  return level < most ? `Only the first ${file.attempts[level]} attempts of each agent are compared, because not all agents made more.` : "";
}

/** @param {Choice} choice @param {ReadonlyMap<string, string>} names @returns {string[]} notes for the reader on the choice */
function remarks({ ids, unknown, again }, names) {
  const notes = [
    ...unknown.map((id) => `No agent here is called “${id}”: it may have been renamed, be on a different board, or rank too low to be compared.`),
    ...again.map((id) => `${names.get(id)} was requested twice and is shown once.`),
  ];
  if (ids.length === 1) notes.push(`Choose one more agent to compare with ${names.get(ids[0])}.`);
  if (!ids.length) notes.push(names.size > 1 ? "Choose two to four agents, here or in the table." : "This board has fewer than two agents to compare.");
  return notes;
}

/** @param {string} address @returns {() => Promise<ComparisonFile | null>} loads the file on first use; null if it can't be loaded */
function loader(address) {
  /** @type {Promise<ComparisonFile | null> | null} */
  let loading = null;
  return () => {
    loading ??= fetch(address)
      .then((answer) => (answer.ok ? answer.json() : null))
      .catch(() => null)
      .then((file) => {
        if (!file) loading = null;
        return file;
      });
    return loading;
  };
}
