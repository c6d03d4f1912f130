import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBench, type Bench } from "./bench.fixture.ts";

let bench: Bench;
beforeAll(async () => {
  const limits = { maxExpressionSeconds: 0.3, maxSteps: 500 };
  bench = await openBench({ results: "text", workflows: { limits } });
});
afterAll(() => bench.close());

const [time, memory, stack, output, size, calls] = ["time", "memory", "stack", "output", "size", "calls"].map(
  (limit) => new RegExp(`too_large: the script .*\\(limit: ${limit}\\)`),
) as [RegExp, RegExp, RegExp, RegExp, RegExp, RegExp];
const never = /invalid_input: the script waits for a promise that nothing settles/;
const noCode = /TypeError: code from a text does not run here/;

/** Each script, and the error or the result in which it ends. */
const scripts: readonly (readonly [script: string, end: RegExp])[] = [
  // Endless work.
  ["while (true) {}", time],
  ["for (;;) { try { for (;;) {} } catch {} }", time],
  ["const f = () => { try { for (;;) {} } finally { f() } }; f()", time],
  ["const f = (): unknown => Promise.resolve().then(f); await f()", time],
  ["const f = async () => { await null; return f() }; await f()", /limit: (time|memory|stack)/],
  ["(function f() { queueMicrotask(f) })(); await null; return 1", /^1\n/],
  ["queueMicrotask(function f() { queueMicrotask(f) }); await new Promise(() => {})", time],
  ["return [...(function* () { for (;;) yield 1 })()].length", /limit: (time|memory)/],
  ['return /^(a+)+$/.test("a".repeat(40) + "b")', time],
  ['return /(?=(a+))*b/.test("a".repeat(1e5)) || /(x+x+)+y/.test("x".repeat(60))', time],
  ["[3, 2, 1].sort(() => { for (;;) {} })", time],
  ["return { toJSON() { for (;;) {} } }", time],
  ["return { get a() { for (;;) {} } }", time],
  ['return JSON.parse("[1]", () => { for (;;) {} })', time],
  ["const end = Date.now() + 10; while (Date.now() < end) {}", time],
  ["await { then(resolve) { resolve(this) } }", time],
  ["return new Proxy({}, { ownKeys() { for (;;) {} } })", time],
  ['return (new Array(1_000_000_000) + "").length', /limit: (time|memory)/],
  ["try { await tools.test_refuse() } catch { for (;;) {} }", time],
  // Endless recursion.
  ["const f = () => f(); f()", stack],
  ["const f = () => f() + 1; return f()", stack],
  ["const a = { toString: () => `${a}` }; return `${a}`", stack],
  ["let a: unknown[] = []; for (let i = 0; i < 1e5; i += 1) a = [a]; return a", /stack|no JSON value/],
  ['JSON.parse("[".repeat(1e5))', /stack|SyntaxError/],
  ['new RegExp("(".repeat(1e5))', /stack|SyntaxError/],
  ["let p = {}; for (let i = 0; i < 1e5; i += 1) p = new Proxy(p, {}); return p.x", stack],
  [`return ${"(".repeat(20_000)}1${")".repeat(20_000)}`, /line 1: the code is nested too deep/],
  [
    `const n: number = ${"(".repeat(20_000)}1${")".repeat(20_000)}`,
    /line 1: |unavailable: the thread of the script ended/,
  ],
  // Memory.
  ["const a = []; for (;;) a.push({ a })", /limit: (time|memory)/],
  ['let s = "x"; for (;;) s += s', memory],
  ['return "x".repeat(2 ** 29)', memory],
  ["return new Uint8Array(1e9).length", memory],
  ["const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))", memory],
  ["const m = new Map(); for (;;) m.set({}, 1)", /limit: (time|memory)/],
  ["const a = []; for (;;) a.push(new Promise(() => {}))", /limit: (time|memory)/],
  ['return "a".padEnd(2 ** 29).length', memory],
  ["let n = 3n; for (;;) n *= n", /RangeError: BigInt is too large|limit: (time|memory)/],
  ['const a = []; for (;;) a.push(Symbol("x".repeat(1e5) + a.length))', /limit: (time|memory)/],
  ["let a: unknown[] = [1]; for (;;) a = a.concat(a)", memory],
  ['return "a".repeat(1e6).replaceAll("a", "b".repeat(1e3)).length', memory],
  // Output, results and calls.
  ['for (;;) console.log("x".repeat(1e4))', output],
  ['console.log("x".repeat(1e6))', output],
  ['return "x".repeat(17_000_000)', size],
  ['await tools.test_echo({ value: "x".repeat(17_000_000) })', size],
  ['for (let i = 0; i < 400; i += 1) void tools.test_echo({ value: "x".repeat(1e5) })', size],
  ["for (;;) void tools.test_noop()", calls],
  ["for (;;) await tools.test_noop()", /more than 500 (steps|calls)/],
  ["await Promise.all(Array.from({ length: 5000 }, () => tools.test_noop()))", calls],
  [
    "let a = {}; for (let i = 0; i < 300; i += 1) a = { a }; await tools.test_echo({ value: a })",
    /nested more than 200 levels/,
  ],
  [
    "await tools.test_echo({ value: Array.from({ length: 20_000 }, (_, i) => i) })",
    /too_large: .*more than 10000 values/,
  ],
  // Promises that nothing settles.
  ["await new Promise(() => {})", never],
  ["await { then() {} }", never],
  ["await Promise.race([])", never],
  ["for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) return x", never],
  ["Object.prototype.then = function () {}; return (await tools.test_echo({ value: 1 })).value", never],
  // Ways to code from text, and out of the machine.
  ['return eval("1")', noCode],
  ['return new Function("return 1")()', noCode],
  ['return (() => {}).constructor("return process")()', noCode],
  ['return (async () => {}).constructor("return process")()', noCode],
  ['return (function* () {}).constructor("return 1")()', noCode],
  ['return (async function* () {}).constructor("return 1")()', noCode],
  ['return [].constructor.constructor("return process")()', noCode],
  ['return Reflect.construct(Function, ["return 1"])', noCode],
  ['return console.log.constructor("return 1")()', noCode],
  ['try { await tools.test_refuse() } catch (e) { return e.constructor.constructor("return process")() }', noCode],
  [
    'return [globalThis["process"], globalThis["fetch"], globalThis["host"], typeof require, typeof WebAssembly]',
    /^\[null,null,null,"undefined","undefined"\]/,
  ],
  ["return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", /ReferenceError: Atomics is not defined/],
  [
    "Error.prepareStackTrace = (_, stack) => stack; return String(new Error('a').stack)",
    /^(?![^]*(?:node_modules|\.ts|\.js))/,
  ],
  ["})(); for (;;) {} (async () => {", /line 1: Unexpected token/],
  ["return import.meta.url", /line 1: /],
  // The border between the machine and the server.
  ["JSON.stringify = () => '{}'; JSON.parse = () => 5; return tools.test_echo({ value: 1 })", /^\{"value":1\}/],
  ["globalThis.Promise = null; Promise.prototype; return 1", /TypeError/],
  ["Promise.prototype.then = () => { throw 1 }; return tools.test_echo({ value: 1 })", /^\{"value":1\}|invalid_input/],
  ["Function.prototype.call = Function.prototype.apply = null; return tools.test_echo({ value: 1 })", /^\{"value":1\}/],
  ["Array.prototype[Symbol.iterator] = null; return tools.test_echo({ value: 1 })", /^\{"value":1\}|TypeError/],
  ["Object.prototype.toJSON = () => 5; return tools.test_echo({ value: 1 })", /invalid_input/],
  ['return tools.test_echo({ ["__proto__"]: { polluted: 1 } })', /invalid_input: .*__proto__/],
  [
    'return JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')',
    /^\{"__proto__":\{"polluted":1\}/,
  ],
  ["await tools.test_echo({ get value() { throw 5 } })", /invalid_input: threw 5/],
  ["const a = {}; a.a = a; await tools.test_echo({ value: a })", /TypeError: circular/],
  ["const a = {}; a.a = a; return a", /the result is no JSON value: /],
  ["return 5n", /the result is no JSON value: /],
  ["return Symbol.iterator", /^null\n/],
  ["return () => 1", /^null\n/],
  ["throw null", /invalid_input: threw null/],
  ["throw undefined", /invalid_input: threw undefined/],
  [
    "throw { get message() { throw 1 }, toJSON() { throw 1 }, toString() { throw 1 } }",
    /threw a value that cannot be read/,
  ],
  ["const p = Proxy.revocable({}, {}); p.revoke(); throw p.proxy", /threw a value that cannot be read|TypeError/],
  ['throw new ToolError({ code: "root", message: "x" })', /invalid_input: line 1: ToolError: x/],
  ["throw Object.assign(new Error('x'), { code: 'denied' })", /invalid_input: line 1: x/],
  ['throw new ToolError({ code: "denied", message: "x".repeat(1e6), hint: {} })', /denied: line 1: x{1000}/],
  // Handles and names that the script makes up.
  ['return handles.open("relay://aaaaaaaaaaaaaaaaaaaa")', /not_found: .*relay_read/],
  [
    'const h = await tools.test_range({ value: 400_000 }); return h.text.call({ handle: "relay://x" }).then((t) => t.length)',
    /^2688901\n/,
  ],
  [
    "const h = await tools.test_range({ value: 400_000 }); h.handle = 'x'; return h.handle.startsWith('relay://')",
    /^true|TypeError/,
  ],
  ["const h = await tools.test_range({ value: 400_000 }); return h.grep(/(\\d+,?)+x/)", time],
  [
    "const h = await tools.test_range({ value: 400_000 }); return [h.lines(-5, NaN), await h.lines({}, [])]",
    /^\[\{\},\[\]\]/,
  ],
  [
    "return [typeof tools.then, typeof tools.toString, typeof tools.__proto__, JSON.stringify(tools)]",
    /^\["undefined","undefined","undefined","\{\}"\]/,
  ],
  ['return tools["../../etc/passwd"]({})', /line 1: no tool is named/],
  ['return tools["x".repeat(1e6)]({})', /not_found: .*no tool is named "x{60}/],
  ['return tools["workflow_" + "eval"]({ code: "return 1" })', /a step may not call workflow_eval/],
  ["tools.test_noop = () => 1; return tools.test_noop({})", /^\{"done":true\}|TypeError/],
];

test("there are enough scripts", () => expect(scripts.length).toBeGreaterThanOrEqual(60));

test.each(scripts)(
  "a hostile script ends, and the server answers meanwhile: %s",
  { timeout: 30_000 },
  async (code, end) => {
    const running = bench.call("workflow_eval", { code });
    const started = performance.now();
    let longest = 0;
    const over = new AbortController();
    void running.finally(() => over.abort());
    do {
      const asked = performance.now();
      await bench.call("test_noop");
      longest = Math.max(longest, performance.now() - asked);
      await wait(5);
    } while (!over.signal.aborted && performance.now() - started < 20_000);
    const { text } = await running;
    expect(text).toMatch(end);
    expect(text).not.toContain("internal");
    // Nothing of the server is in an answer.
    expect(text).not.toMatch(/node:|worker_threads|\/packages\//);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(longest).toBeLessThan(2_000);
  },
);

test("the engine gives a script no function of the host but one", () => {
  const prelude = readFileSync(new URL("./code/machine.ts", import.meta.url), "utf8");
  expect(prelude.match(/newFunction\(/g)).toHaveLength(1);
});
