import { definePack, defineTool } from "@toolpacks/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openBench, type Bench } from "./bench.fixture.ts";

const notes: string[] = [];

/** Tools of a pack whose name is not their prefix. */
const notebook = definePack({
  name: "notebook",
  description: "Notes.",
  budget: 500,
  tools: () => [
    defineTool({
      name: "note_read",
      description: "Read a note.",
      mutates: false,
      input: z.object({ path: z.string(), line: z.int().optional() }),
      output: z.object({ text: z.string() }),
      handler: ({ path }) => ({ text: `note ${path}` }),
    }),
    defineTool({
      name: "note_write",
      description: "Write a note.",
      mutates: true,
      input: z.object({ path: z.string(), text: z.string(), tags: z.array(z.object({ name: z.string() })).optional() }),
      output: z.object({ path: z.string() }),
      handler: ({ path }) => (notes.push(path), { path }),
    }),
  ],
});

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({ more: [notebook()], results: "text" });
});
afterAll(() => bench.close());

const first = 'await tools.note_write({ path: "a", text: "b" });\n';
const read = "tools.note_read({path: string, line?: integer})";
const write = "tools.note_write({path: string, text: string, tags?: array})";

/** Each script, what is said of it, and the script that the proposal makes of it. */
const wrong: readonly [why: string, script: string, said: string, right?: string][] = [
  [
    "a misspelt tool",
    'await tools.note_raed({ path: "a" })',
    `line 2: no tool is named "note_raed"; did you mean ${read}?`,
    'await tools.note_read({ path: "a" })',
  ],
  [
    "a misspelt tool of a pack",
    'await tools.notebook.raed({ path: "a" })',
    read,
    'await tools.notebook.read({ path: "a" })',
  ],
  ["camel case", 'await tools.noteRead({ path: "a" })', read, 'await tools.note_read({ path: "a" })'],
  ["a tool of no pack", 'await tools.notebok.read({ path: "a" })', read, 'await tools.notebook.read({ path: "a" })'],
  [
    "an unknown field",
    'await tools.note_read({ pth: "a" })',
    `pth: unknown field, did you mean path? (accepted: path, line); it is ${read}`,
    'await tools.note_read({ path: "a" })',
  ],
  [
    "a missing field",
    "await tools.note_read({ line: 1 })",
    `line 2: note_read: path: required`,
    'await tools.note_read({ path: "a", line: 1 })',
  ],
  ["no arguments", "await tools.note_read()", "path: required", 'await tools.note_read({ path: "a" })'],
  [
    "a literal of another type",
    "await tools.note_read({ path: 5 })",
    "note_read: path: expected string",
    'await tools.note_read({ path: "5" })',
  ],
  [
    "a wrong literal beside a variable",
    "await tools.note_read({ path: input.path, line: '3' })",
    "line: expected number, received string",
    "await tools.note_read({ path: input.path ?? 'a', line: 3 })",
  ],
  [
    "a wrong field in a list",
    'await tools.note_write({ path: "a", text: "b", tags: [{ nam: "x" }] })',
    write,
    'await tools.note_write({ path: "a", text: "b", tags: [{ name: "x" }] })',
  ],
  [
    "a text in place of an object",
    'await tools.note_read("a")',
    `note_read takes one object: ${read}`,
    'await tools.note_read({ path: "a" })',
  ],
  [
    "a wrong name that is taken out",
    "const { note_raed } = tools; await note_raed({ path: 'a' })",
    read,
    "const { note_read } = tools; await note_read({ path: 'a' })",
  ],
  [
    "a wrong field of a tool that is taken out",
    "const { note_read: read } = tools; await read({ pth: 'a' })",
    "did you mean path?",
    "const { note_read: read } = tools; await read({ path: 'a' })",
  ],
  ["a name in brackets", 'await tools["note_raed"]({ path: "a" })', read, 'await tools["note_read"]({ path: "a" })'],
  ["an import", 'const fs = await import("node:fs")', "line 2: there are no modules. A script has tools,"],
  ["a module", 'const fs = require("fs")', "line 2: require: there are no modules."],
  ["the network", 'await fetch("https://example.com")', "line 2: fetch: there is no network; call a tool."],
  ["a timer", "await new Promise((done) => setTimeout(done, 5))", "line 2: setTimeout: there are no timers."],
  ["the environment", "return process.env", "line 2: process: there is no process."],
  ["wrong syntax", "const x = ;", "line 2: Unexpected token"],
  ["wrong brackets", "if (true) { return 1 } }", "line 2: Unexpected token"],
  ["a static import", 'import fs from "node:fs"', "line 2: there are no modules."],
  ["an enum of TypeScript", "enum A { B }", "enum is not supported"],
  ["a tool that starts runs", "await tools.workflow_run({ name: 'x' })", "line 2: a script may not call workflow_run"],
];

describe("a script", () => {
  test.each(wrong)("with %s is refused with its line before anything runs", async (...row) => {
    const [, script, said, right] = row;
    notes.length = 0;
    const { text, isError } = await bench.call("workflow_eval", { code: `${first}${script}` });
    expect(text).toContain(said);
    expect(text).toMatch(/^invalid_input: code: nothing ran\.\nline \d+: /);
    expect(isError).toBe(true);
    expect(notes).toEqual([]);
    if (right === undefined) return;
    expect((await bench.call("workflow_eval", { code: `${first}${right}` })).text).toMatch(/\d calls; report/);
  });

  test("is told all problems at once", async () => {
    const code = 'await tools.note_raed({});\nawait fetch("x");\nawait tools.note_read({ pth: 1 });';
    const { text } = await bench.call("workflow_eval", { code });
    expect(text.match(/^line \d/gm)).toEqual(["line 1", "line 2", "line 3"]);
  });

  test.each([
    "const tools2 = { fetch: () => 1 }; return tools2.fetch()",
    "const fetch = (x: string) => x; return fetch('a')",
    "return typeof process",
    "function f({ setTimeout = 1 }: { setTimeout?: number }) { return setTimeout } return f({})",
    "const name = 'note_read'; return (await tools[name]({ path: 'a' })).text",
    "const args = { path: 'a' }; return tools.note_read({ ...args })",
    "const { note_read } = tools; const inner = (note_read: any) => note_read; return inner(1)",
    "const book = tools.notebook; return book.read({ path: 'a' })",
    "return (tools as any).note_read({ path: `a` })",
    "async () => { return (await tools.note_read({ path: 'a' })).text }",
    "interface A { readonly x: string } const a: A = { x: 'a' }; return a satisfies A",
  ])("that is right is not refused: %s", async (code) => {
    const { isError, text } = await bench.call("workflow_eval", { code });
    expect([text, isError]).toEqual([text, false]);
  });

  test("that is asked to be read-only may not name a tool that changes anything, nor call it", async () => {
    notes.length = 0;
    const seen = await bench.call("workflow_eval", { code: first, readOnly: true });
    expect(seen.text).toContain("line 1: note_write changes things, and the run is read-only");
    const hidden = 'await tools.note_read({ path: "a" }); await tools[`${"note"}_write`]({ path: "a", text: "b" })';
    const { text } = await bench.call("workflow_eval", { code: hidden, readOnly: true });
    expect(text).toContain("denied: note_write changes things, and the run is read-only");
    const steps = [
      { tool: "note_read", params: { path: "a" } },
      { tool: "note_write", params: { path: "a", text: "b" } },
    ];
    const refused = await bench.call("workflow_eval", { steps, readOnly: true });
    expect(refused.text).toMatch(/^denied: note_write changes things/);
    expect(notes).toEqual([]);
  });
});
