import { dryMark } from "./protocol.ts";

/**
 * The first code in a machine: a function of the host's function. It makes the globals of scripts, and returns the function that the host calls.
 * Everything that it needs later is taken before a script can replace it. Only texts cross the border.
 */
export const prelude = `(host) => {
"use strict";
const { parse, stringify } = JSON, { apply, getPrototypeOf } = Reflect, { assign, defineProperty, freeze } = Object;
const Native = Promise, { then } = Native.prototype, Text = String, inherited = Object.prototype;
const waiting = { __proto__: null }, evaluate = eval;
let seed = 1;
// The minimal standard generator.
Math.random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
class ToolError extends Error {
  constructor({ code, message, hint }) { super(message); this.name = "ToolError"; this.code = code; this.hint = hint; }
}
const request = (kind, json) => new Native((resolve, reject) => {
  waiting[host(kind, "[" + json + "]")] = { __proto__: null, resolve, reject };
});
const isPlain = (key) => typeof key === "symbol" || key === "then" || key === "toJSON" || key in inherited;
const named = (path, isPack) => new Proxy(function () {}, {
  get: (_, key) => (isPlain(key) || !isPack ? undefined : named(path + "," + stringify(key), false)),
  set: () => false,
  apply: (_, self, args) => request("tool", "[" + path + "]," + (stringify(args[0]) ?? "{}")),
});
const tools = new Proxy({}, { get: (_, key) => (isPlain(key) ? undefined : named(stringify(key), true)), set: () => false });
const large = ({ handle, size }) => {
  const whole = () => host("read", handle), lines = () => whole().split("\\n");
  return freeze({
    handle, size, toJSON: () => handle, toString: () => handle,
    text: async () => whole(),
    json: async () => parse(whole()),
    lines: async (from = 1, to = Infinity) => lines().filter((_, at) => at + 1 >= from && at < to),
    grep: async (pattern) => {
      const wanted = new RegExp(pattern.source ?? pattern, pattern.flags?.replace(/[gy]/g, ""));
      return lines().map((text, at) => ({ line: at + 1, text })).filter(({ text }) => wanted.test(text));
    },
  });
};
const dry = (id) => new Proxy({}, {
  get: (_, key) => {
    if (key === "toJSON") return () => ${JSON.stringify(dryMark)} + id + ">";
    if (key === "then") return undefined;
    host("dry", id);
    throw new Error("a dry run does not have this value");
  },
});
const shown = (value) => {
  if (typeof value === "string") return value;
  try { return value instanceof Error ? Text(value) : (stringify(value) ?? Text(value)); } catch { return Text(value); }
};
const print = (...values) => { let line = ""; for (const value of values) line += (line && " ") + shown(value); host("print", line); };
const refused = function () { throw new TypeError("code from a text does not run here"); };
refused.prototype = Function.prototype;
for (const one of [function () {}, async function () {}, function* () {}, async function* () {}])
  defineProperty(getPrototypeOf(one), "constructor", { value: refused });
assign(globalThis, {
  tools, ToolError, eval: refused, Function: refused,
  store: tools.store,
  console: { log: print, info: print, warn: print, error: print },
  handles: freeze({ open: (handle) => request("open", stringify(Text(handle))) }),
  ask: (question, options) => request("ask", stringify(Text(question)) + "," + (stringify(options) ?? "{}")),
});
const thrown = (error) => {
  try {
    if (!(error instanceof Error)) return { __proto__: null, name: "Error", message: "threw " + shown(error) };
    const line = /<input>:(\\d+)/.exec(Text(error.stack))?.[1], { code, hint } = error instanceof ToolError ? error : { __proto__: null };
    return { __proto__: null, name: Text(error.name), message: Text(error.message), code, hint, line };
  } catch { return { __proto__: null, name: "Error", message: "threw a value that cannot be read" }; }
};
const finish = (value) => {
  try { host("result", stringify(value) ?? "null"); } catch (error) {
    const message = "the result is no JSON value: " + thrown(error).message;
    host("thrown", stringify({ __proto__: null, name: "TypeError", message }));
  }
};
return (kind, given, json) => {
  if (kind === "prepare") { seed = given; return assign(globalThis, parse(json)); }
  if (kind === "start") { apply(then, evaluate(json), [finish, (error) => host("thrown", stringify(thrown(error)))]); return; }
  const { resolve, reject } = waiting[given];
  delete waiting[given];
  if (kind === "dry") resolve(dry(given));
  else if (kind === "error") reject(new ToolError(parse(json)));
  else try { resolve(kind === "large" ? large(parse(json)) : parse(json)); } catch (error) { reject(error); }
};
}`;
