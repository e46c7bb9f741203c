// @ts-check
/** The view of a page: it lives in the address, so that back, forward and a copied link show it again. */

import { plainView, readView, writeView } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Known} Known */

/**
 * @typedef {object} State
 * @property {View} view
 * @property {(change: Partial<View>) => void} step  changes the view; back undoes it
 * @property {(change: Partial<View>) => void} typing  changes the view; back skips it
 * @property {(follower: (view: View) => void) => void} follow  is told the view now and whenever it changes
 * @property {() => void} reset  goes to the view that asks for nothing; back undoes it
 * @property {string} plain  the address of that view
 * @property {boolean} isPlain  whether that is the view
 */

/** @param {Known} known @returns {State} */
export function mountState(known) {
  let view = readView(location.search, known);
  /** @type {((view: View) => void)[]} */
  const followers = [];

  /** @param {View} next */
  const show = (next) => {
    view = next;
    for (const follower of followers) follower(view);
  };
  /** @param {View} asked @returns {string} */
  const address = (asked) => location.pathname + writeView(asked, known, location.search) + location.hash;

  /** @param {Partial<View>} change */
  const step = (change) => {
    show({ ...view, ...change });
    const { pathname, search, hash } = location;
    if (address(view) !== pathname + search + hash) history.pushState(null, "", address(view));
  };

  addEventListener("popstate", () => show(readView(location.search, known)));
  return {
    get view() {
      return view;
    },
    get plain() {
      return address(plainView(known));
    },
    get isPlain() {
      return address(view) === address(plainView(known));
    },
    step,
    reset() {
      step(plainView(known));
    },
    typing(change) {
      show({ ...view, ...change });
      history.replaceState(null, "", address(view));
    },
    follow(follower) {
      followers.push(follower);
      follower(view);
    },
  };
}
