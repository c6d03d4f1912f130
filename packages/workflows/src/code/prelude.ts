/**
 * The first code in a script's machine: a function of the host's function and the script's variables. It makes the script's globals, and returns the
 * functions that the host calls. Everything that it needs later is taken before the script can replace it. Only texts cross the border.
 */
export const prelude = `(host, variables, seed) => {
"use strict";
const { parse, stringify } = JSON, { apply, getPrototypeOf } = Reflect, { defineProperty, freeze } = Object;
const Native = Promise, { then } = Native.prototype, Text = String, inherited = Object.prototype;
const waiting = { __proto__: null }, { imul } = Math;
Math.random = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
class ToolError extends Error {
  constructor({ code, message, hint }) { super(message); this.name = "ToolError"; this.code = code; this.hint = hint; }
}
// Not an array: a script may change how arrays become JSON.
const list = (...values) => { let json = ""; for (let i = 0; i < values.length; i += 1) json += (i > 0 ? "," : "") + (values[i] ?? "null"); return "[" + json + "]"; };
const request = (kind, json) => new Native((resolve, reject) => {
  const id = host(kind, json);
  waiting[id] = { __proto__: null, resolve, reject };
});
const isPlain = (key) => typeof key === "symbol" || key === "then" || key === "toJSON" || key in inherited;
const named = (path) => new Proxy(function () {}, {
  get: (_, key) => (isPlain(key) || path.length === 2 ? undefined : named([path[0], key])),
  set: () => false,
  apply: (_, self, args) => request("tool", list(list(stringify(path[0]), ...(path.length > 1 ? [stringify(path[1])] : [])), stringify(args[0]) ?? "{}")),
});
const tools = new Proxy({}, { get: (_, key) => (isPlain(key) ? undefined : named([key])), set: () => false });
const read = (handle, part, from, to) => request("read", list(stringify(handle), stringify(part), stringify(from), stringify(to)));
const large = ({ handle, size }) => freeze({
  handle, size,
  text: () => read(handle, "text"),
  lines: (from, to) => read(handle, "lines", from, to),
  json: () => read(handle, "json"),
  grep: async (pattern) => {
    const wanted = pattern instanceof RegExp ? new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")) : new RegExp(pattern);
    const found = [];
    for (let at = 0, number = 1; at !== null;) {
      const piece = await read(handle, "piece", at);
      for (const text of piece.text.split("\\n")) {
        if (wanted.test(text)) found.push({ line: number, text });
        number += 1;
      }
      at = piece.next;
    }
    return found;
  },
  toJSON: () => handle,
  toString: () => handle,
});
const dry = (id) => new Proxy({}, {
  get: (_, key) => {
    if (key === "toJSON") return () => "<result of call " + id + ">";
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
const console = {};
for (const name of ["log", "info", "warn", "error", "debug"]) console[name] = print;
const refused = function () { throw new TypeError("code from a text does not run here"); };
refused.prototype = Function.prototype;
for (const one of [function () {}, async function () {}, function* () {}, async function* () {}])
  defineProperty(getPrototypeOf(one), "constructor", { value: refused });
const globals = {
  tools, store: named(["store"]), console, ToolError, eval: refused, Function: refused,
  handles: freeze({ open: (handle) => request("open", list(stringify(Text(handle)))) }),
  ask: (question, options) => request("ask", list(stringify(Text(question)), stringify(options ?? {}))),
  ...parse(variables),
};
for (const name in globals) defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
const thrown = (error) => {
  try {
    const isError = error instanceof Error;
    const line = isError ? /code:(\\d+)/.exec(Text(error.stack))?.[1] : undefined;
    return { __proto__: null, name: isError ? Text(error.name) : "Error", message: isError ? Text(error.message) : "threw " + shown(error),
      code: error instanceof ToolError ? error.code : undefined, hint: error instanceof ToolError ? error.hint : undefined,
      line: line && +line };
  } catch { return { __proto__: null, name: "Error", message: "threw a value that cannot be read" }; }
};
const fail = (error) => host("thrown", stringify(thrown(error)));
const finish = (value) => {
  let json;
  try { json = stringify(value) ?? "null"; } catch (error) {
    const { message } = thrown(error);
    return host("thrown", stringify({ __proto__: null, name: "TypeError", message: "the result is no JSON value: " + message }));
  }
  host("result", json);
};
return {
  start: (promise) => { apply(then, promise, [finish, fail]); },
  settle: (id, kind, json) => {
    const { resolve, reject } = waiting[id];
    delete waiting[id];
    if (kind === "dry") resolve(dry(id));
    else if (kind === "error") reject(new ToolError(parse(json)));
    else try { resolve(kind === "large" ? large(parse(json)) : parse(json)); } catch (error) { reject(error); }
  },
};
}`;
