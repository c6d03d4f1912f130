import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { servePrincipals, type Caller, type PrincipalServer, type TestAccess } from "./caller-access.fixture.ts";

const home = folder();
const inHome = (name: string) => path.join(home, name);
for (const name of ["a", "b"]) {
  mkdirSync(inHome(`files/${name}`), { recursive: true });
  writeFileSync(inHome(`files/${name}/note.txt`), `canary of ${name}`);
}
writeFileSync(inHome("files/large.txt"), "0123456789\n".repeat(8_000));

/** Tools of every sort of pack. */
const sample = [
  "fs_read",
  "fs_write",
  "search_text",
  "issue_create",
  "memory_recall",
  "store_query",
  "workflow_eval",
  "trace_search",
];

interface Case {
  readonly access: NonNullable<TestAccess>;
  /** Which tools of the sample the principal may call. */
  readonly tools: readonly string[];
  /** The packs of which it may use anything. */
  readonly packs: readonly string[];
  readonly prompts: boolean;
  readonly relay: boolean;
  /** What it reads from `note.txt` of each folder. */
  readonly reads: readonly ("a" | "b")[];
}

const packs = ["filesystem", "search", "issues", "memory", "planner", "undo", "store", "workflows", "relay"];
const everything = { tools: sample, packs, prompts: true, relay: true, reads: ["a", "b"] } as const;

const cases: Readonly<Record<string, Case>> = {
  everything: { ...everything, access: {} },
  reader: {
    ...everything,
    access: { readOnly: true },
    tools: ["fs_read", "search_text", "memory_recall", "store_query", "trace_search"],
    prompts: false,
  },
  "scopes for a pack and for reading": {
    ...everything,
    access: [{ facets: ["issues"] }, { readOnly: true }],
    tools: ["fs_read", "search_text", "issue_create", "memory_recall", "store_query", "trace_search"],
    prompts: false,
  },
  files: {
    access: { facets: ["filesystem"] },
    tools: ["fs_read", "fs_write"],
    packs: ["filesystem"],
    prompts: false,
    relay: false,
    reads: ["a", "b"],
  },
  "one tool": {
    access: { tools: ["fs_read"] },
    tools: ["fs_read"],
    packs: ["filesystem"],
    prompts: false,
    relay: false,
    reads: ["a", "b"],
  },
  "folder a": {
    ...everything,
    access: { roots: [inHome("files/a")] },
    reads: ["a"],
  },
  "folder b, few packs": {
    access: { facets: ["filesystem", "workflows", "relay"], roots: [inHome("files/b")] },
    tools: ["fs_read", "fs_write", "workflow_eval"],
    packs: ["filesystem", "workflows", "relay"],
    prompts: true,
    relay: true,
    reads: ["b"],
  },
  "a workspace": { ...everything, access: { workspaces: ["team"] } },
  nothing: { access: { facets: [] }, tools: [], packs: [], prompts: false, relay: false, reads: [] },
};

let server: PrincipalServer;
let twoTool: PrincipalServer;
beforeAll(async () => {
  const flags = { root: [inHome("files")], write: true };
  const steps = [{ id: "list", tool: "fs_list", params: {} }];
  const tour = { description: "Look around.", expose: "tool", steps };
  writeFileSync(inHome("toolpacks.config.json"), JSON.stringify({ workflows: { tour } }));
  server = await servePrincipals(home, { ...flags, config: inHome("toolpacks.config.json") });
  twoTool = await servePrincipals(home, { ...flags, surface: "two-tool", store: inHome("two-tool.db") });
});
afterAll(async () => {
  await Promise.all([server.close(), twoTool.close()]);
});

/** The names in a text. */
const named = (text: string, names: readonly string[]) =>
  names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
/** An error without the name and the similar names. */
const anonymous = (text: string, name: string) =>
  text.replaceAll(name, "…").replace(/(Nearest: |Find tools |Call a tool ).*/, "");

describe.each(Object.entries(cases))("a principal with %s", (title, { access, tools, packs: seen, ...may }) => {
  const hidden = sample.filter((name) => !tools.includes(name));
  let caller: Caller;
  beforeAll(async () => {
    caller = await server.connect(title, access);
  });

  test("finds its tools, and no others, in lists, searches and descriptions", async () => {
    const listing = await caller.client.listTools();
    const found = await Promise.all(
      sample.map((name) => caller.text("tool_search", { query: name.replace("_", " "), limit: 20 })),
    );
    const described = await caller.text("tool_describe", { name: tools.length > 0 ? tools : ["none"] });
    const shown = [JSON.stringify(listing), caller.instructions, ...found, described].join("\n");
    expect(named(found.join("\n"), sample)).toEqual(tools);
    expect(named(shown, hidden)).toEqual([]);
    const facetError = await caller.text("tool_search", { query: "x", facet: "none" });
    expect(named(facetError.split("there are")[1] ?? facetError, packs)).toEqual(seen);
  });

  test("gets the same error for a hidden tool as for one that does not exist", async () => {
    for (const name of [...hidden, ...(may.relay ? [] : ["relay_read"])]) {
      const absent = `${name.split("_")[0]}_zzz`;
      for (const call of [
        (one: string) => caller.text(one),
        (one: string) => caller.invoke(one),
        (one: string) => caller.text("tool_read", { name: one, args: {} }),
        (one: string) => caller.text("tool_describe", { name: one }),
      ]) {
        const answer = await call(name);
        expect(anonymous(answer, name)).toBe(anonymous(await call(absent), absent));
        expect(named(answer.replaceAll(`"${name}"`, ""), hidden)).toEqual([]);
      }
    }
  });

  test("calls its tools directly and in workflow steps, and no others", async () => {
    if (!tools.includes("workflow_eval")) return;
    const step = async (tool: string) => {
      const steps = [{ id: "only", tool, params: {}, onError: "stop" }];
      return caller.text("workflow_eval", { steps });
    };
    for (const name of hidden) expect(await step(name)).toContain(`no tool is named "${name}"`);
    expect(await step("fs_list")).toMatch(/^(?!.*not_found)/s);
    const types = await caller.invoke("workflow_steps");
    expect(named(types, hidden)).toEqual([]);
  });

  test("reads the files of its roots, and no others", async () => {
    for (const name of ["a", "b"] as const) {
      const answer = await caller.invoke("fs_read", { path: inHome(`files/${name}/note.txt`) });
      if (may.reads.includes(name)) expect(answer).toContain(`canary of ${name}`);
      else expect(answer).not.toContain("canary");
    }
    for (const outside of ["../../toolpacks.config.json", "/", inHome("store.db")]) {
      expect(await caller.invoke("fs_read", { path: outside })).not.toMatch(/canary|tour|SQLite/);
    }
  });

  test("gets prompts and resources of its packs", async () => {
    const { prompts, resources } = caller.client.getServerCapabilities() ?? {};
    const names = prompts === undefined ? [] : (await caller.client.listPrompts()).prompts.map(({ name }) => name);
    expect(names.length > 0).toBe(may.prompts);
    expect(resources !== undefined).toBe(may.relay);
    const all = (await (await server.connect("local", undefined)).client.listPrompts()).prompts;
    for (const { name } of all.filter((one) => !names.includes(one.name))) {
      const refusal = caller.client.getPrompt({ name });
      await expect(refusal).rejects.toThrow();
    }
  });

  test("gets large results whole, unless it can read handles", async () => {
    if (!tools.includes("fs_read") || title.startsWith("folder")) return;
    const answer = await caller.invoke("fs_read", { path: "large.txt" });
    const [handle] = /relay:\/\/[\w-]+/.exec(answer) ?? [];
    expect(handle !== undefined).toBe(may.relay);
    if (handle === undefined) {
      expect(answer.length).toBeGreaterThan(30_000);
      return;
    }
    expect(await caller.text("relay_read", { handle })).toContain("0123456789");
    const other = await server.connect("another", { facets: ["relay"] });
    expect(await other.text("relay_read", { handle })).toMatch(/^not_found: /);
  });

  test("uses its packs with getTools and useTools, and no others", async () => {
    const modeled = await twoTool.connect(title, access);
    const context = { sessionId: "s", memory: "none", goal: "test" };
    const listing = JSON.stringify(await modeled.client.listTools());
    const answers = await Promise.all(packs.map((pack) => modeled.text("getTools", { context, request: [{ pack }] })));
    expect(packs.filter((_, at) => !answers[at]?.includes("no pack is named"))).toEqual(seen);
    expect(named(`${listing} ${modeled.instructions} ${answers.join("\n")}`, hidden)).toEqual([]);
    for (const [pack, tool] of [
      ["filesystem", "fs_write"],
      ["issues", "issue_create"],
      ["memory", "memory_recall"],
    ] as const) {
      if (tools.includes(tool)) continue;
      const used = await modeled.text("useTools", { context, calls: [{ pack, tool, params: {} }] });
      expect(used).toMatch(/has no tool|no pack is named/);
    }
  });
});
