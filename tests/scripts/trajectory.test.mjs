/** Transcripts: read whatever their version, cleaned, arranged, searched, and found only where the submission says. */

import assert from "node:assert/strict";
import test from "node:test";

import { blocksOf, cut, isKnown, readTranscript } from "../../site_src/assets/scripts/trajectory-atif.js";
import { hitBefore, hitCount, hitsIn, nextHit, patternOf } from "../../site_src/assets/scripts/trajectory-find.js";
import {
  LARGEST, Trouble, beside, fileOf, found, readAsked, refusal, runTitle, sizeText, troubleText, writeAsked,
} from "../../site_src/assets/scripts/trajectory-source.js";
import {
  NOTHING, clean, clock, differ, dollars, lasted, lineCount, running, spentText, stepsText,
} from "../../site_src/assets/scripts/trajectory-text.js";

/** @param {object} step  what is told of it */
const oneStep = (step) => readTranscript({ steps: [{ source: "agent", ...step }] })?.steps[0] ?? assert.fail("no transcript");
/** @param {object} step */
const blocks = (step) => blocksOf(oneStep(step)).map(({ kind, label, text }) => [kind, label, text]);
/** @param {string} name @param {object} given */
const call = (name, given) => ({ tool_calls: [{ tool_call_id: "c", function_name: name, arguments: given }] });

test("every version 1 is read, and bare lists of steps", () => {
  for (const version of ["ATIF-v1.0", "ATIF-v1.2", "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8"]) {
    const read = readTranscript({ schema_version: version, agent: { name: "a", version: "1" }, steps: [{ step_id: 1, source: "user", message: "go" }] });
    assert.equal(read?.steps[0].message, "go");
    assert.ok(read && isKnown(read), version);
  }
  assert.equal(readTranscript([{ source: "user", message: "go" }])?.steps.length, 1);
  assert.equal(isKnown(readTranscript({ schema_version: "ATIF-v2.0", steps: [{ message: "go" }] }) ?? assert.fail()), false);
});

test("what has no steps is no transcript", () => {
  for (const value of [null, 3, "steps", {}, [], { steps: [] }, { steps: "many" }, { steps: [1, 2] }, { a: 1 }]) {
    assert.equal(readTranscript(value), null, JSON.stringify(value));
  }
});

test("what is odd in a step is read as far as it goes", () => {
  const odd = { source: 7, message: { a: 1 }, tool_calls: "x", observation: "seen", metrics: [], timestamp: null, extra: 4 };
  const step = oneStep(odd);
  assert.equal(step.source, "7");
  assert.deepEqual(JSON.parse(step.message), { a: 1 });
  assert.equal(step.calls.length, 1);
  assert.equal(step.results[0].text, "seen");
  assert.deepEqual(step.spent, NOTHING);
  assert.equal(readTranscript([{ source: "user", message: "go" }, null, "stop"])?.steps[2].message, "stop");
});

test("steps keep their numbers where these tell them apart", () => {
  /** @param {unknown[]} ids */
  const numbers = (ids) => readTranscript(ids.map((id) => ({ step_id: id, message: "m" })))?.steps.map(({ number }) => number);
  assert.deepEqual(numbers([4, 5, 9]), [4, 5, 9]);
  for (const bad of [[1, 1, 2], [0, 1, 2], [1.5, 2, 3], ["a", "b", "c"]]) assert.deepEqual(numbers(bad), [1, 2, 3]);
});

test("pictures are named and never fetched", () => {
  const parts = [{ type: "text", text: "see" }, { type: "image", source: { media_type: "image/png", path: "https://example.org/x.png" } }];
  assert.equal(oneStep({ message: parts }).message, "see\n[image, image/png, https://example.org/x.png: not fetched]");
});

test("a transcript says what it goes on in, and which agents it has inside", () => {
  const inner = { trajectory_id: "t2", agent: { name: "helper" }, steps: [{ message: "x" }] };
  const read = readTranscript({ steps: [{ message: "m" }], continued_trajectory_ref: "trajectory.cont-1.json", subagent_trajectories: [inner, 3] });
  assert.equal(read?.next, "trajectory.cont-1.json");
  assert.deepEqual(read?.subagents.map(({ id, agent }) => [id, agent.name]), [["t2", "helper"]]);
  const observation = { results: [{ content: null, subagent_trajectory_ref: [{ session_id: "s", trajectory_path: "t.json" }] }] };
  assert.deepEqual(oneStep({ observation }).results[0].references, [{ id: "s", file: "t.json" }]);
});

test("what steers a terminal goes, and other controls are seen", () => {
  assert.equal(clean("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007\u001b(Bplain"), "red plain");
  assert.equal(clean("a\r\nb\rc\r\r\nd"), "a\nb\nc\nd");
  assert.equal(clean("bell\u0007 delete\u007f null\u0000"), "bell␇ delete␡ null␀");
  assert.equal(clean("\u202eturned\u2066"), "[U+202E]turned[U+2066]");
  assert.equal(clean("tab\tand 漢字 👩‍💻"), "tab\tand 漢字 👩‍💻");
});

test("a sequence that never ends hides nothing", () => {
  assert.match(clean("\u001b]0;all the rest of the text"), /all the rest of the text/);
  assert.match(clean("\u001bPall the rest"), /all the rest/);
});

test("cleaning a long text of escapes takes no time to speak of", () => {
  const began = performance.now();
  clean("\u001b]".repeat(200_000));
  clean(`\u001b[${"1;".repeat(200_000)}`);
  assert.ok(performance.now() - began < 2000);
});

test("a text is cut after so many lines or characters, but not for a little rest", () => {
  const room = { lines: 2, characters: 1000 };
  const line = `${"x".repeat(100)}\n`;
  assert.equal(cut(line.repeat(9), room), 202);
  assert.equal(cut("a\nb\nc\nd", room), 7);
  assert.equal(cut("x".repeat(5000), room), 1000);
  assert.equal(cut(`${"x".repeat(999)}👩${"x".repeat(5000)}`, room), 1001);
  assert.deepEqual(["", "a", "a\n", "a\nb", "a\n\n"].map(lineCount), [1, 1, 1, 2, 2]);
});

test("a call shows its command as it was typed, and short arguments beside its name", () => {
  assert.deepEqual(blocks(call("bash_command", { keystrokes: "ls -la\n", duration: 0.1 })), [["call", "bash_command · duration 0.1", "ls -la"]]);
  assert.deepEqual(blocks(call("edit", { path: "a.py", text: "one\ntwo" })), [["call", "edit", "path: a.py\ntext:\none\ntwo"]]);
  assert.deepEqual(blocks(call("finish", {})), [["call", "finish", ""]]);
  assert.deepEqual(blocks({ tool_calls: [{ function: { name: "run", arguments: "{\"cmd\": 1}" } }] }), [["call", "run", "{\"cmd\": 1}"]]);
});

test("what a call brought stands behind it, and reasoning before all", () => {
  const calls = ["a", "b"].map((id) => ({ tool_call_id: id, function_name: id, arguments: { cmd: `run ${id}` } }));
  const results = [{ source_call_id: "b", content: "from b" }, { source_call_id: "a", content: "from a" }, { content: "loose" }];
  const made = blocks({ reasoning_content: "why", message: "so", tool_calls: calls, observation: { results }, extra: { round: 3, note: "n" } });
  assert.deepEqual(made.map(([kind, , text]) => `${kind} ${text}`), [
    "reasoning why", "message so", "call run a", "result from a", "call run b", "result from b", "result loose", 'extra {\n "note": "n"\n}',
  ]);
});

test("reasoning is folded, and long output in part", () => {
  const output = "a line of the log\n".repeat(100);
  const [reasoning, result] = blocksOf(oneStep({ reasoning_content: "why", observation: { results: [{ content: output }] } }));
  assert.equal(reasoning.shown, 0);
  assert.equal(output.slice(0, result.shown), "a line of the log\n".repeat(10));
});

test("totals run on, and copied steps cost nothing", () => {
  const steps = [{ metrics: { prompt_tokens: 10 } }, { metrics: { prompt_tokens: 5, cost_usd: 0.5 }, is_copied_context: true }, { metrics: { completion_tokens: 2, cost_usd: 0.25 } }];
  const totals = running(readTranscript(steps.map((step) => ({ message: "m", ...step })))?.steps ?? []);
  assert.deepEqual(totals.map(({ input, output, cost }) => [input, output, cost]), [[10, null, null], [10, null, null], [10, 2, 0.25]]);
  assert.equal(differ(totals[2], { ...NOTHING, input: 10, cost: 0.25 }), false);
  assert.equal(differ(totals[2], { ...NOTHING, input: 11 }), true);
});

test("figures are written as people read them", () => {
  assert.equal(spentText({ input: 12345, output: 50, cached: 800, cost: 0.0012 }), "12,345 tokens in (800 cached) · 50 out · $0.0012");
  assert.equal(spentText(NOTHING), "");
  assert.deepEqual([0, 0.001, 1.5, 12.345].map(dollars), ["$0.00", "$0.0010", "$1.50", "$12.35"]);
  assert.deepEqual([clock("2026-06-18T10:00:05.123+00:00"), clock("noon")], ["10:00:05", "noon"]);
});

test("it is said how long it took, and who made how many steps", () => {
  const steps = readTranscript([
    { source: "user", message: "m", timestamp: "2026-06-18T10:00:00Z" },
    { source: "agent", message: "m", timestamp: "2026-06-18T11:02:03Z" },
    { source: "agent", message: "m", is_copied_context: true },
  ])?.steps ?? [];
  assert.equal(lasted(steps), "1 h 2 min 3 s");
  assert.equal(lasted(steps.slice(1)), "");
  assert.equal(stepsText(steps), "3 (1 user, 2 agent, 1 copied from earlier)");
});

test("words are found as they are, in any case", () => {
  const made = blocksOf(oneStep({ message: "Sort (all) of it. sort. SORT [all]", reasoning_content: "to sort" }));
  assert.equal(hitCount(made, patternOf("sort") ?? assert.fail()), 4);
  assert.equal(hitCount(made, patternOf("(all)") ?? assert.fail()), 1);
  for (const odd of ["\\", "a-b", "[", "/x/", "^$.*+?(){}|", "👩"]) assert.deepEqual(hitsIn(`>${odd}<`, patternOf(odd) ?? assert.fail()), [[1, 1 + odd.length]]);
  assert.equal(patternOf("  "), null);
});

test("hits are walked in a ring", () => {
  const hits = [{ index: 2, hits: 2 }, { index: 5, hits: 1 }];
  const walk = [-1, 0, 1, 2].map((current) => nextHit(hits, current, 1));
  assert.deepEqual(walk.map((hit) => [hit?.current, hit?.index, hit?.within]), [[0, 2, 0], [1, 2, 1], [2, 5, 0], [0, 2, 0]]);
  assert.equal(nextHit(hits, -1, -1)?.index, 5);
  assert.equal(nextHit(hits, 0, -1)?.index, 5);
  assert.equal(nextHit([], -1, 1), null);
  assert.deepEqual([0, 3, 9].map((from) => hitBefore(hits, from)), [-1, 1, 2]);
});

const runs = [1, 2].flatMap((attempt) => [1, 3].map((round) => ({ task: "tidy", title: "Tidy ledger", attempt, round })));
const whole = [{ task: "tidy", title: "Tidy ledger", attempt: 1, round: null }];

test("an address names a task, an attempt and a round, and nothing else", () => {
  for (const run of [...runs, ...whole]) assert.deepEqual(found([run], readAsked(writeAsked(run))), [run]);
  assert.deepEqual(found(runs, readAsked("?task=tidy&round=3")).length, 2);
  assert.deepEqual(found(runs, readAsked("?task=tidy&attempt=2&round=7")), []);
  assert.deepEqual(found(runs, readAsked("?task=../../x&attempt=1")), []);
  assert.deepEqual(found(runs, readAsked("")), []);
  assert.deepEqual(readAsked("?task=t&attempt=-1&round=1e3"), { task: "t", attempt: null, round: null });
  assert.deepEqual(found(whole, readAsked("?task=tidy&round=3")), whole);
});

test("a file lies where the submission's pattern says", () => {
  const [run] = runs;
  const root = "https://example.org/boards/";
  assert.equal(fileOf("t/{task}/{attempt}-{round}.json", run, root).href, "https://example.org/boards/t/tidy/1-1.json");
  assert.equal(fileOf("https://files.example/{task}.json", run, root).href, "https://files.example/tidy.json");
  assert.deepEqual([run, ...whole].map((each) => runTitle(each, "round")), ["Tidy ledger, round 1", "Tidy ledger"]);
});

test("a transcript leads to files beside it and to no others", () => {
  const file = new URL("https://files.example/a/trajectory.json?x=1");
  assert.equal(beside(file, "trajectory.cont-1.json")?.href, "https://files.example/a/trajectory.cont-1.json");
  assert.equal(beside(file, "./t.json")?.href, "https://files.example/a/t.json");
  for (const name of ["../t.json", "b/t.json", "//evil.example/t.json", "https://evil.example/t.json", "/t.json", "t.txt", "..json", "javascript:1.json", ""]) {
    assert.equal(beside(file, name), null, name);
  }
});

test("every trouble says what is wrong and what to do", () => {
  for (const kind of /** @type {const} */ (["offline", "insecure", "unreachable", "large", "text", "foreign"])) assert.match(troubleText(new Trouble(kind, "9"), "files.example"), /\. |: /);
  assert.deepEqual([404, 410, 401, 403, 500].map((status) => refusal(status).kind), ["missing", "missing", "refused", "refused", "failed"]);
  assert.match(troubleText(refusal(404), "files.example"), /files\.example has no file .*404/);
  assert.deepEqual([10, 4_200, 3_210_000, LARGEST].map(sizeText), ["1 KB", "4 KB", "3.2 MB", "200 MB"]);
});
