// @ts-check
/** What the page that compares rows loads. It lists every row before this runs. */

import { readChoice, writeChoice } from "./compare-choice.js";
import { mountBoxes, mountSlots, readOffers } from "./compare-controls.js";
import { attemptsLevel, hasRounds, position } from "./compare-facts.js";
import { readMarks, roundsTable } from "./compare-rounds.js";
import { countsTable, orderSentences, scoresTable } from "./compare-tables.js";
import { checkbox, element } from "./element.js";

/** @typedef {import("./compare-choice.js").Choice} Choice */
/** @typedef {import("./compare-facts.js").ComparisonFile} ComparisonFile */

const NO_DATA = "The comparison could not be loaded. The scores stand in the table below; try to load the page again.";
const OLD_DATA = "The comparison's data is older than this page and lacks a row of it: load the page again.";

/** @template {Element} Kind @param {string} selector @param {new () => Kind} kind @returns {Kind} */
function part(selector, kind) {
  const found = document.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page lacks ${selector}`);
  return found;
}

/** Keep the page at what its address asks for. */
function mountComparison() {
  const table = part("table[data-rows]", HTMLTableElement);
  const offers = readOffers(table);
  const names = new Map(offers.map(({ id, name }) => [id, name]));
  const read = () => readChoice(location.search, new Set(names.keys()));
  let choice = read();

  /** @param {readonly string[]} ids @param {boolean} [all] */
  const choose = (ids, all = choice.all) => {
    const search = writeChoice(ids, all, location.search);
    if (search !== location.search) history.pushState(null, "", location.pathname + search);
    show();
  };
  const chosen = () => choice.ids;
  const slots = mountSlots(part("[data-choice]", HTMLElement), offers, chosen, choose);
  const boxes = mountBoxes(table, offers, chosen, choose);
  const compare = mountFacts(part("[data-comparison]", HTMLElement), table, names, (all) => choose(choice.ids, all));
  const show = () => {
    choice = read();
    slots(choice.ids);
    boxes(choice.ids);
    return compare(choice);
  };
  addEventListener("popstate", show);
  const rows = part("[data-waiting]", HTMLElement);
  rows.dataset.waiting = "script";
  show().finally(() => rows.removeAttribute("data-waiting"));
}

/**
 * @param {HTMLElement} section
 * @param {HTMLTableElement} table
 * @param {ReadonlyMap<string, string>} names
 * @param {(all: boolean) => void} choose  is told whether tasks are to be shown at which all fared alike
 * @returns {(choice: Choice) => Promise<void>} shows what is known of a choice
 */
function mountFacts(section, table, names, choose) {
  const { document: address = "", headline = "" } = section.dataset;
  const told = part("[data-told]", HTMLElement);
  const load = loader(address);
  const showRounds = mountRounds(section, choose);
  const title = document.title;
  /** @type {Choice | null} */
  let latest = null;
  return async (choice) => {
    latest = choice;
    const { ids } = choice;
    document.title = ids.length > 1 ? `${ids.map((id) => names.get(id)).join(" against ")} · ${title}` : title;
    if (ids.length > 1 && section.hidden) told.textContent = "Loading the comparison.";
    const file = ids.length > 1 ? await load() : null;
    if (choice !== latest) return;
    const isWhole = file !== null && ids.every((id) => position(file, id) >= 0);
    if (file && isWhole) fill(section, table, { file, ids, names, headline }, () => showRounds(file, choice, names));
    section.hidden = !isWhole;
    const trouble = isWhole || ids.length < 2 ? [] : [file ? OLD_DATA : NO_DATA];
    told.textContent = [...remarks(choice, names), ...trouble].join(" ");
  };
}

/** @param {HTMLElement} section @param {HTMLTableElement} table @param {import("./compare-tables.js").Shown} shown @param {() => void} showRounds */
function fill(section, table, shown, showRounds) {
  section.querySelector("[data-order]")?.replaceChildren(...orderSentences(shown));
  section.querySelector("[data-scores]")?.replaceChildren(scoresTable(table, shown));
  const counts = countsTable(shown);
  section.querySelector("[data-counts]")?.replaceChildren(...(counts ? [counts] : []));
  showRounds();
}

/**
 * @param {HTMLElement} section
 * @param {(all: boolean) => void} choose  is told whether tasks are to be shown at which all fared alike
 * @returns {(file: ComparisonFile, choice: Choice, names: ReadonlyMap<string, string>) => void}
 */
function mountRounds(section, choose) {
  const [filter, place, legend] = ["[data-filter]", "[data-rounds]", ".sg-legend"].map((name) => section.querySelector(name));
  if (!filter || !place || !legend) return () => {};
  const page = { base: section.dataset.base ?? "", round: section.dataset.round ?? "", marks: readMarks(legend) };
  const about = element("span", "");
  const label = checkbox("", [document.createTextNode("Only tasks where they differ")], (on) => choose(!on));
  filter.append(about, label);
  return (file, { ids, all }, names) => {
    const { told, tables } = roundsTable({ file, ids, names, headline: "" }, page, all);
    const box = label.querySelector("input");
    if (box) box.checked = !all;
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
  return level < most ? `The first ${file.attempts[level]} of the attempts of each are compared: not all made more.` : "";
}

/** @param {Choice} choice @param {ReadonlyMap<string, string>} names @returns {string[]} what a reader should know of the choice */
function remarks({ ids, unknown, again }, names) {
  const notes = [
    ...unknown.map((id) => `No row here is called “${id}”: it may have been renamed, belong to another board, or stand too far down to be compared.`),
    ...again.map((id) => `${names.get(id)} was asked for twice and is shown once.`),
  ];
  if (ids.length === 1) notes.push(`Choose one more row to compare with ${names.get(ids[0])}.`);
  if (!ids.length) notes.push(names.size > 1 ? "Choose two to four rows, here or in the table." : "This board has no two rows to compare.");
  return notes;
}

/**
 * Load a comparison file when it is first asked for.
 *
 * @param {string} address @returns {() => Promise<ComparisonFile | null>} null where it can't be had
 */
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

mountComparison();
