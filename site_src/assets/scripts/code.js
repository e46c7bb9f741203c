// @ts-check
/** The buttons that the theme puts on blocks of code. */

/** Takes the landmarks away that the theme puts around them, one in each block, all of one name; what they say is read out. */
export function mountCode() {
  const blocks = [...document.querySelectorAll(".highlight")];
  if (!blocks.length) return;
  document.querySelector(".md-dialog")?.setAttribute("role", "status");
  const quiet = () => {
    for (const frame of document.querySelectorAll(".md-code__nav:not([role])")) frame.setAttribute("role", "none");
  };
  const seen = new MutationObserver(quiet);
  for (const block of blocks) seen.observe(block, { childList: true, subtree: true });
  quiet();
}
