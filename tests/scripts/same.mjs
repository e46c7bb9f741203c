/** Says which scripts of two folders are not the same program: parsed, and printed without comments in one style. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript";

const [one, other] = process.argv.slice(2);
const printer = ts.createPrinter({ removeComments: true });

/** @param {string} path */
function printed(path) {
  const source = ts.createSourceFile(path, readFileSync(path, "utf-8"), ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
  return flat(source).join("\n");
}

/**
 * Give what a program is made of: the kind of every node, and the text of those that hold no other.
 *
 * @param {ts.Node} node
 * @returns {string[]}
 */
function flat(node) {
  /** @type {string[]} */
  const parts = [];
  ts.forEachChild(node, (child) => void parts.push(...flat(child)));
  return [parts.length ? ts.SyntaxKind[node.kind] : `${ts.SyntaxKind[node.kind]} ${leaf(node)}`, ...parts];
}

/** @param {ts.Node} node */
function leaf(node) {
  return ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) ? node.text : printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
}

for (const name of readdirSync(one).filter((file) => file.endsWith(".js"))) {
  if (printed(join(one, name)) !== printed(join(other, name))) console.log(name);
}
