// @ts-check
/**
 * Script of the header: switches the scheme, and finds agents, tasks, rounds, requirements, cases and pages by the
 * words of their names. The theme asks a worker for hits; this script replaces the worker, and fetches the index
 * when the search is first used.
 */

/** Message types of the theme and its worker. */
const READY = 1, QUERY = 2, RESULT = 3;

/** Characters of a text shown before a hit, and in total. */
const BEFORE = 60, SHOWN = 240;

/** Messages of the theme's script. */
const TEXTS = {
  "search.result.placeholder": "Type to start searching",
  "search.result.none": "No matches",
  "search.result.one": "1 match",
  "search.result.other": "# matches",
  "search.result.more.one": "1 more on this page",
  "search.result.more.other": "# more on this page",
  "search.result.term.missing": "Missing",
};

/** The element for hits. */
const OUTPUT = '<div class="md-search__output"><div class="md-search__scrollwrap" tabindex="0" data-md-scrollfix>'
  + '<div class="md-search-result" data-md-component="search-result"><div class="md-search-result__meta"></div>'
  + '<ol class="md-search-result__list" role="presentation"></ol></div></div></div>';

const settings = document.getElementById("__config");
/** The settings of the theme's script. @type {{ base: string, search: string, translations: object }} */
const config = { search: "search", translations: TEXTS, ...JSON.parse(settings?.textContent ?? "{}") };
const { base, search } = config;
if (settings) settings.textContent = JSON.stringify(config);
document.querySelector(".md-search__form")?.insertAdjacentHTML("afterend", OUTPUT);

/** @typedef {{ location: string, title: string, text: string, tags?: string[] }} Entry  an entry whose texts are HTML without tags */

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** @param {string[]} words */
const joined = (...words) => ` ${words.join(" ")}`;

/** Pages for people who run a site: their hits come after hits for readers, unless the title matches the query. */
const MANUALS = /^(docs|develop)\//;

/** @param {Entry[]} entries  agents first, runs last @returns {(query: string) => object[]} */
function finder(entries) {
  const known = entries.map((entry) => {
    const name = joined(...wordsOf(entry.title)), more = joined(...wordsOf([...entry.tags ?? [], entry.text].join(" ")));
    return { entry, name, all: name + more };
  });
  return (query) => {
    const asked = wordsOf(query), whole = joined(...asked);
    const mark = new RegExp(`&\\w+;|(?<![\\p{L}\\p{N}])(?:${asked.join("|")})`, "giu");
    /** @param {string} text */
    const marked = (text) => text.replace(mark, (hit) => hit.startsWith("&") ? hit : `<mark>${hit}</mark>`);
    return known
      .filter(({ all }) => asked.length && asked.every((word) => all.includes(` ${word}`)))
      .map(({ entry: { location, title, text, tags }, name }) => {
        const named = asked.every((word) => name.includes(` ${word}`));
        const from = text.lastIndexOf(" ", text.toLowerCase().indexOf(asked[0] ?? "") - BEFORE) + 1;
        const told = marked(text.slice(from, from + SHOWN));
        const isManual = MANUALS.test(location);
        const score = Number(named) + 2 * Number(name.startsWith(whole)) + 8 * Number(name === whole) - 4 * Number(isManual);
        // The theme would make an unnamed landmark from each hit's tags.
        const kinds = (tags ?? []).map((tag) => ` <span class="md-tag">${tag}</span>`);
        return { location, title: marked(title) + kinds.join(""), text: told, terms: {}, score };
      })
      .sort((a, b) => b.score - a.score)
      .map((item) => [item]);
  };
}

class Stand extends EventTarget {
  /** @type {ReturnType<typeof finder> | undefined} */
  find;

  /** @param {number} type @param {object} [data] */
  say(type, data) {
    this.dispatchEvent(new MessageEvent("message", { data: { type, data } }));
  }

  /** @param {{ type: number, data: string }} message */
  postMessage({ type, data }) {
    if (type === QUERY) this.say(RESULT, { items: this.find?.(data) ?? [] });
  }
}

/** A button that cycles through the colour schemes: the system default, the opposite one, then the same one fixed. */
function mountScheme() {
  const button = document.querySelector(".sg-scheme"), dark = matchMedia("(prefers-color-scheme: dark)");
  if (!(button instanceof HTMLButtonElement)) return;
  let kept = "";
  const show = () => {
    document.body.dataset.mdColorScheme = kept === "dark" || (!kept && dark.matches) ? "slate" : "default";
    button.title = button.ariaLabel = "Colours: " + (kept || "system default");
  };
  try {
    kept = localStorage.getItem("scheme") ?? "";
  } catch {
    kept = "";
  }
  button.hidden = false;
  show();
  dark.addEventListener("change", show);
  button.addEventListener("click", () => {
    const turns = dark.matches ? ["", "light", "dark"] : ["", "dark", "light"];
    kept = turns[turns.indexOf(kept) + 1] ?? "";
    show();
    try {
      localStorage.setItem("scheme", kept);
    } catch {
      return; // the choice only applies to this page
    }
  });
}

mountScheme();

const query = document.querySelector("[data-md-component='search-query']");
if (query instanceof HTMLElement) {
  const stand = new Stand();
  const use = async () => {
    for (const touch of ["focus", "input"]) query.removeEventListener(touch, use);
    try {
      const { docs } = await (await fetch(new URL("search/search_index.json", new URL(base, location.href)))).json();
      stand.find = finder(docs);
      stand.say(READY);
    } catch {
      wait();
    }
  };
  const wait = () => ["focus", "input"].forEach((touch) => query.addEventListener(touch, use));
  wait();
  globalThis.Worker = new Proxy(Worker, {
    construct: (Real, [url, ...more]) => url === search ? stand : new Real(url, ...more),
  });
  if (document.activeElement === query) use();
}
