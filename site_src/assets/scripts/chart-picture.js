// @ts-check
/**
 * A chart as a picture, SVG or PNG, with its title, sentence and source, in the
 * colours and the typeface of the page. Loaded on demand.
 */

/** Width and margin of a picture, and the space above the source, in pixels. */
const WIDTH = 800, MARGIN = 24, GAP = 12;
/** Text size and line height of the page's name and the source, and text size of a title. */
const SMALL = 12, LINE = 20, LARGE = 18;
/** Pixels of a PNG per pixel of the page. */
const SCALE = 2;

/** Style properties that a drawing in a file needs as attributes. */
const DRAWN = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "stroke-opacity",
  "opacity", "paint-order", "vector-effect", "text-anchor", "dominant-baseline", "font-size", "font-weight", "font-style",
];
/** Parts of a figure that are left out of its picture. */
const LEFT_OUT = ".sg-live, .sg-unseen, .sg-live-chart, .sg-matrix-tools, caption, script";

const FONT = new URL("../vendor/archivo.woff2", import.meta.url);
/** Names of typefaces, without those that only the page defines. */
const FAMILY = "Archivo, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif";

/** The drawn parts of a figure, and its width and height. @typedef {{ parts: string[], width: number, height: number }} Drawn */

/** Save a picture of a figure. @param {HTMLElement} figure @param {"svg" | "png"} kind @param {string} name  of the file @returns {Promise<void>} */
export async function savePicture(figure, kind, name) {
  const picture = pictureOf(figure, await fontStyle());
  const blob = kind === "svg" ? new Blob([picture.svg], { type: "image/svg+xml" }) : await pngOf(picture);
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** @param {HTMLElement} figure @param {string} style @returns {{ svg: string, width: number, height: number }} */
export function pictureOf(figure, style) {
  const { parts, height } = drawnAt(figure, WIDTH - 2 * MARGIN);
  const paper = colour("--paper"), ink = colour("--ink"), quiet = colour("--ink-2");
  const ownTitle = figure.querySelector("h2")?.textContent;
  const title = (ownTitle ?? figure.closest("section")?.querySelector("h2")?.textContent ?? "").trim();
  const heading = ownTitle ? "" : `<text x="${MARGIN}" y="${MARGIN + LINE + LARGE}" font-family="${FAMILY}" font-size="${LARGE}" font-weight="680" fill="${ink}">${escaped(title)}</text>`;
  const top = MARGIN + LINE + (heading ? LARGE + GAP : 0), below = top + height + GAP;
  const whole = below + LINE + MARGIN / 2;
  const line = (/** @type {string} */ text, /** @type {number} */ y) => (
    `<text x="${MARGIN}" y="${y}" font-family="${FAMILY}" font-size="${SMALL}" fill="${quiet}">${escaped(text)}</text>`
  );
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${round(whole)}" viewBox="0 0 ${WIDTH} ${round(whole)}">`,
    `<title>${escaped(title)}</title><style>${style}</style><rect width="100%" height="100%" fill="${paper}"/>`,
    line(pageName(), MARGIN + SMALL),
    heading,
    `<g transform="translate(${MARGIN} ${top})">${parts.join("")}</g>`,
    line(`Source: ${sourceOf(figure)}`, below + SMALL),
    "</svg>",
  ].join("");
  return { svg, width: WIDTH, height: round(whole) };
}

/** @returns {string} the page's breadcrumbs and name, without the site's name */
function pageName() {
  const crumbs = [...document.querySelectorAll(".sg-crumbs a")].slice(1).map((each) => each.textContent?.trim() ?? "");
  const heading = document.querySelector(".sg-head .sg-name") ?? document.querySelector("h1");
  return [...new Set([...crumbs, heading?.textContent?.trim() ?? ""])].filter(Boolean).join(" · ");
}

/** @param {HTMLElement} figure @returns {string} the address of the figure, and the release date of the results if stated */
function sourceOf(figure) {
  const { origin, pathname, protocol } = location;
  const place = figure.id ? `#${figure.id}` : "";
  const address = protocol.startsWith("http") ? `${origin}${pathname}${place}` : `${document.title}${place}`;
  const release = document.querySelector("[data-release]")?.getAttribute("data-release");
  return release ? `${address}, release ${release}` : address;
}

/** Draw a figure as the page would show it at a width, invisibly. @param {HTMLElement} figure @param {number} width @returns {Drawn} */
function drawnAt(figure, width) {
  const folds = [...figure.querySelectorAll("details")];
  const isTable = !figure.querySelector("svg, .sg-shades");
  const open = folds.map((fold) => fold.open);
  const behindLive = figure.querySelectorAll("svg[data-drawing][hidden]");
  for (const drawing of behindLive) drawing.removeAttribute("hidden");
  figure.classList.add("sg-pictured");
  figure.style.inlineSize = `${width}px`;
  for (const fold of folds) fold.open = isTable;
  try {
    const box = figure.getBoundingClientRect();
    /** @type {string[]} */
    const parts = [];
    for (const child of figure.childNodes) draw(child, box, parts);
    return { parts, width: box.width, height: box.height };
  } finally {
    figure.classList.remove("sg-pictured");
    figure.style.removeProperty("inline-size");
    folds.forEach((fold, index) => (fold.open = open[index]));
    for (const drawing of behindLive) drawing.setAttribute("hidden", "");
  }
}

/** @param {Node} node @param {DOMRect} box @param {string[]} parts */
function draw(node, box, parts) {
  if (node instanceof Text) parts.push(...linesOf(node, box));
  if (!(node instanceof Element) || node.matches(LEFT_OUT) || !node.checkVisibility()) return;
  if (node instanceof SVGSVGElement) {
    parts.push(drawingOf(node, box));
    return;
  }
  if (node instanceof HTMLDetailsElement && !node.open) return;
  if (!node.matches("summary")) {
    parts.push(...groundsOf(node, box));
    for (const child of node.childNodes) draw(child, box, parts);
  }
}

/** @param {Element} part @param {DOMRect} box @returns {string[]} its background and the line below it */
function groundsOf(part, box) {
  const { backgroundColor, borderBottomColor, borderBottomWidth } = getComputedStyle(part);
  const { left, top, width, height, bottom } = part.getBoundingClientRect();
  const made = [];
  const x = round(left - box.left);
  if (isSeen(backgroundColor)) {
    made.push(`<rect x="${x}" y="${round(top - box.top)}" width="${round(width)}" height="${round(height)}" fill="${backgroundColor}"/>`);
  }
  if (parseFloat(borderBottomWidth) && isSeen(borderBottomColor)) {
    const y = round(bottom - box.top - 0.5);
    made.push(`<path d="M${x} ${y}h${round(width)}" stroke="${borderBottomColor}"/>`);
  }
  return made;
}

/** @param {Text} text @param {DOMRect} box @returns {string[]} a text element for each of its lines */
function linesOf(text, box) {
  const parent = text.parentElement;
  if (!parent || !text.data.trim()) return [];
  const { color, fontSize, fontWeight } = getComputedStyle(parent);
  const range = document.createRange();
  /** Lines of words, split at line breaks. @type {{ top: number, left: number, height: number, words: string }[]} */
  const lines = [];
  for (const { 0: word, index } of text.data.matchAll(/[^\s-]+-*\s*|-+\s*/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.trimEnd().length);
    const place = range.getClientRects()[0];
    if (!place) continue;
    const last = lines.at(-1);
    if (last && Math.abs(last.top - place.top) < 2) last.words += word;
    else lines.push({ top: place.top, left: place.left, height: place.height, words: word });
  }
  return lines.map(({ top, left, height, words }) => {
    const y = top - box.top + height * 0.79; // the baseline of this typeface
    const look = `font-family="${FAMILY}" font-size="${parseFloat(fontSize)}" font-weight="${fontWeight}" fill="${color}"`;
    return `<text x="${round(left - box.left)}" y="${round(y)}" ${look}>${escaped(words.trim().replace(/\s+/g, " "))}</text>`;
  });
}

/** @param {SVGSVGElement} drawing @param {DOMRect} box @returns {string} the drawing with its styles as attributes */
function drawingOf(drawing, box) {
  const { left, top, width, height } = drawing.getBoundingClientRect();
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const originals = drawing.querySelectorAll("*"), copies = [...copy.querySelectorAll("*")];
  copies.forEach((each, index) => dress(each, originals[index]));
  copies.forEach((each, index) => !isShown(originals[index]) && each.remove());
  for (const name of [...copy.getAttributeNames()]) {
    if (name !== "viewBox" && name !== "preserveAspectRatio") copy.removeAttribute(name);
  }
  for (const [name, value] of Object.entries({ x: left - box.left, y: top - box.top, width, height })) copy.setAttribute(name, String(round(value)));
  copy.setAttribute("overflow", "visible");
  copy.setAttribute("font-family", FAMILY);
  return new XMLSerializer().serializeToString(copy).replace(' xmlns="http://www.w3.org/2000/svg"', "");
}

/** Copy the style of a part of a drawing to attributes. @param {Element} copy @param {Element} original */
function dress(copy, original) {
  const style = getComputedStyle(original);
  for (const name of ["class", "style", "data-look", "data-agent"]) copy.removeAttribute(name);
  if (copy instanceof SVGTitleElement) return;
  for (const name of DRAWN) {
    const value = style.getPropertyValue(name);
    if (value) copy.setAttribute(name, value);
  }
  if (copy instanceof SVGSVGElement) copy.setAttribute("overflow", style.overflow === "visible" ? "visible" : copy.getAttribute("overflow") ?? "hidden");
}

/** @param {Element} part @returns {boolean} */
function isShown(part) {
  if (part instanceof SVGTitleElement || part instanceof SVGDefsElement || part.closest("defs")) return true;
  const { display, visibility } = getComputedStyle(part);
  return display !== "none" && visibility !== "hidden";
}

/** @returns {Promise<string>} the page's typeface for embedding; empty if it can't be loaded */
async function fontStyle() {
  try {
    const answer = await fetch(FONT);
    if (!answer.ok) return "";
    const bytes = new Uint8Array(await answer.arrayBuffer());
    let letters = "";
    for (const byte of bytes) letters += String.fromCharCode(byte);
    return `@font-face{font-family:Archivo;font-weight:400 680;src:url(data:font/woff2;base64,${btoa(letters)})}`;
  } catch {
    return "";
  }
}

/** @param {{ svg: string, width: number, height: number }} picture @returns {Promise<Blob>} */
async function pngOf({ svg, width, height }) {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * width;
  canvas.height = SCALE * height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser can't draw it");
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("this browser can't write it"))), "image/png");
  });
}

/** @param {string} token @returns {string} a colour of the current scheme */
function colour(token) {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${token})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** @param {string} paint @returns {boolean} */
function isSeen(paint) {
  return paint !== "transparent" && !/,\s*0\)$/.test(paint);
}

/** @param {number} value @returns {number} */
function round(value) {
  return Math.round(100 * value) / 100;
}

/** @param {string} text @returns {string} */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
