// @ts-check
/**
 * Lets the theme's search begin when a reader first turns to it. The theme starts a worker on every page, and hands it
 * the index of the whole site; here it is given a stand-in, which asks for both when the reader does.
 */

/** What the theme's worker calls the message that says what there is to find. */
const SETUP = 0;

/** The theme's settings. @type {{ base: string, search: string }} */
const { base, search } = JSON.parse(document.getElementById("__config")?.textContent ?? "{}");

/** A worker to the theme: its messages come from the real one, once that is there. */
class Stand extends EventTarget {
  /** @type {Worker | undefined} */
  #worker;

  /** @param {Worker} worker */
  begin(worker) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }) => this.dispatchEvent(new MessageEvent("message", { data })));
  }

  /** @param {unknown} message */
  postMessage(message) {
    this.#worker?.postMessage(message);
  }
}

/** @param {Stand} stand @param {Worker} worker  the theme's, which says when it is ready */
async function begin(stand, worker) {
  stand.begin(worker);
  const everything = new URL("search/search_index.json", new URL(base, location.href));
  const { config, docs } = await (await fetch(everything)).json();
  worker.postMessage({ type: SETUP, data: { config, docs, options: { suggest: false } } });
}

/** @param {HTMLElement} query  where a reader types @param {() => Promise<void>} start  is tried again when it fails */
function atFirstUse(query, start) {
  const wait = () => {
    const used = new AbortController();
    const use = () => {
      used.abort();
      start().catch(wait);
    };
    for (const touch of ["focus", "input"]) query.addEventListener(touch, use, { signal: used.signal });
    return use;
  };
  const use = wait();
  if (document.activeElement === query) use();
}

const query = document.querySelector("[data-md-component='search-query']");
if (query instanceof HTMLElement) {
  globalThis.Worker = new Proxy(Worker, {
    construct(Real, [url, ...more]) {
      if (url !== search) return new Real(url, ...more);
      const stand = new Stand();
      atFirstUse(query, () => begin(stand, new Real(url)));
      return stand;
    },
  });
}
