// @ts-check
/** The site's own address if its settings do not state it: citations, the badge and examples get full addresses, derived from the page's. */

if (location.protocol.startsWith("http")) complete();

function complete() {
  for (const place of each("[data-own-address]")) place.textContent = whole(place.dataset.ownAddress);
  for (const code of each("[data-own-bibtex]")) {
    code.textContent = (code.textContent ?? "").replace(/\n\}\s*$/, `\n  url = {${whole(code.dataset.ownBibtex)}},\n}\n`);
  }
  for (const code of each("[data-own-badge]")) {
    code.textContent = `[![${code.textContent}](${whole(code.dataset.ownBadge)})](${whole(code.dataset.ownPage)})`;
    code.closest("details")?.removeAttribute("hidden");
  }
  for (const code of each("[data-own-file]")) {
    code.textContent = (code.textContent ?? "").replace(code.dataset.file ?? "", () => whole(code.dataset.ownFile));
  }
  for (const notice of each("[data-notice=address], [data-notice=folder]")) notice.hidden = true;
}

/** @param {string} selector @returns {NodeListOf<HTMLElement>} */
function each(selector) {
  return document.querySelectorAll(selector);
}

/** @param {string} [address]  relative to the page @returns {string} */
function whole(address = "") {
  return new URL(address, location.href).href;
}
