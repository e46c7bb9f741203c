// @ts-check
/** Makes the words of a transcript fit to be read: nothing in them may steer the page or hide from the reader. Pure. */

/** What steers a terminal: colours, moves, titles, links. */
const STEERING = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
/** Controls of the second set, and those that turn the direction of the text that follows. */
const TURNING = /[\x80-\x9f\u202a-\u202e\u2066-\u2069]/g;
const LEADS = /[\ud800-\udbff]/;
const PICTURES = 0x2400;
const DELETE = 0x7f;

/** Lines and characters that a text may have before it is folded. @typedef {{ lines: number, characters: number }} Room */

/** What is not worth a fold of its own. @type {Room} */
const SLACK = { lines: 3, characters: 240 };

/**
 * Take out what steers a terminal, and show other control characters as pictures or numbers of themselves.
 *
 * @param {string} text @returns {string}
 */
export function clean(text) {
  if (!UNSEEN.test(text)) return text;
  return text
    .replace(STEERING, "")
    .replace(/\r+\n|\r/g, "\n")
    .replace(CONTROL, (found) => String.fromCharCode(PICTURES + (found.charCodeAt(0) === DELETE ? 0x21 : found.charCodeAt(0))))
    .replace(TURNING, (found) => `[U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/**
 * Say how much of a text is shown before the rest is folded.
 *
 * @param {string} text @param {Room} room @returns {number} characters; all of them where little would be left
 */
export function cut(text, room) {
  let shown = Math.min(afterLines(text, room.lines), room.characters);
  if (shown >= text.length) return text.length;
  if (LEADS.test(text[shown - 1])) shown += 1; // never between the halves of a character
  const rest = text.slice(shown, shown + SLACK.characters + 1);
  return rest.length <= SLACK.characters && lineCount(rest) <= SLACK.lines ? text.length : shown;
}

/** @param {string} text @returns {number} lines, an ending line break not counted as one more */
export function lineCount(text) {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** @param {string} text @param {number} lines @returns {number} where the line begins that follows so many */
function afterLines(text, lines) {
  let at = 0;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf("\n", at) + 1;
    if (!at) return text.length;
  }
  return at;
}
