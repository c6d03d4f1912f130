import type { Rights } from "@toolpacks/core";
import { afterAll, describe, expect, test } from "vitest";
import { createSurface, type SurfaceName } from "./surface.ts";
import { everySort } from "./rights.fixture.ts";
import { wires } from "./wire.fixture.ts";

const { catalog, store, end } = everySort();
afterAll(end);

const everything = {
  tools: ["file_read", "file_write", "song_play", "song_keep", "picture_show", "hub_list", "hub_push", "agent_call"],
  prompts: ["reading", "writing", "playing", "hub_ask"],
  resources: ["picture://1", "hub://log"],
  kinds: ["paper", "song"],
  /** Kinds whose records may be changed. */
  changed: ["paper", "song"],
  packs: ["files", "music", "pictures", "hub", "agent", "store"],
  steps: ["file_mark", "file_count"],
};

interface Case {
  readonly title: string;
  readonly rights: Rights;
  /** Tools that the server's configuration denies, which their error says. All others that are not in `sees` are unknown. */
  readonly denied: readonly string[];
  readonly sees: Partial<typeof everything>;
}

const agentOnly = { prompts: [], resources: [], kinds: [], changed: [], steps: [], packs: ["agent"] };

const cases: readonly Case[] = [
  { title: "no restriction", rights: {}, denied: [], sees: {} },
  {
    title: "a denied facet",
    rights: { deny: ["files"] },
    denied: ["file_read", "file_write"],
    sees: {
      tools: ["song_play", "song_keep", "picture_show", "hub_list", "hub_push", "agent_call"],
      prompts: ["playing", "hub_ask"],
      kinds: ["song"],
      changed: ["song"],
      packs: ["music", "pictures", "hub", "agent", "store"],
      steps: [],
    },
  },
  {
    title: "denied facets with resources, and a denied tool",
    rights: { deny: ["pictures", "hub", "song_play"] },
    denied: ["picture_show", "hub_list", "hub_push", "song_play"],
    sees: {
      tools: ["file_read", "file_write", "song_keep", "agent_call"],
      prompts: ["reading", "writing"],
      resources: [],
      packs: ["files", "music", "agent", "store"],
    },
  },
  {
    title: "a read-only server",
    rights: { readOnly: true },
    denied: ["file_write", "song_keep", "hub_push"],
    sees: {
      tools: ["file_read", "song_play", "picture_show", "hub_list", "agent_call"],
      prompts: ["reading", "playing", "hub_ask"],
    },
  },
  {
    title: "a token for two facets",
    rights: { grants: [{ facets: ["music", "agent"] }] },
    denied: [],
    sees: {
      ...agentOnly,
      tools: ["song_play", "song_keep", "agent_call"],
      prompts: ["playing"],
      kinds: ["song"],
      packs: ["music", "agent"],
    },
  },
  {
    title: "a token for a facet of another server",
    rights: { grants: [{ facets: ["hub", "agent"] }] },
    denied: [],
    sees: {
      ...agentOnly,
      tools: ["hub_list", "hub_push", "agent_call"],
      prompts: ["hub_ask"],
      resources: ["hub://log"],
      packs: ["hub", "agent"],
    },
  },
  {
    title: "a token for single tools, one of another server",
    rights: { grants: [{ facets: ["agent"], tools: ["file_read", "hub_list", "picture_show"] }] },
    denied: [],
    sees: {
      ...agentOnly,
      tools: ["file_read", "picture_show", "hub_list", "agent_call"],
      prompts: ["reading"],
      packs: ["files", "pictures", "hub", "agent"],
    },
  },
  {
    title: "a token that only reads",
    rights: { grants: [{ readOnly: true }] },
    denied: [],
    sees: {
      tools: ["file_read", "song_play", "picture_show", "hub_list", "agent_call"],
      prompts: ["reading", "playing", "hub_ask"],
      steps: ["file_count"],
      changed: [],
    },
  },
  {
    title: "a token for two facets and for reading everything",
    rights: { grants: [{ facets: ["music", "store"] }, { readOnly: true }] },
    denied: [],
    sees: {
      tools: ["file_read", "song_play", "song_keep", "picture_show", "hub_list", "agent_call"],
      prompts: ["reading", "playing", "hub_ask"],
      steps: ["file_count"],
      changed: ["song"],
    },
  },
  {
    title: "a token for reading two facets, and for a tool that mutates",
    rights: {
      grants: [
        { facets: ["files", "hub"], readOnly: true },
        { facets: ["agent"], tools: ["song_keep"] },
      ],
    },
    denied: [],
    sees: {
      ...agentOnly,
      tools: ["file_read", "song_keep", "hub_list", "agent_call"],
      prompts: ["reading", "hub_ask"],
      resources: ["hub://log"],
      kinds: ["paper"],
      steps: ["file_count"],
      packs: ["files", "music", "hub", "agent"],
    },
  },
  {
    title: "a token for a facet on a read-only server that denies a tool of it",
    rights: { deny: ["song_play", "files"], readOnly: true, grants: [{ facets: ["music", "agent"] }] },
    denied: ["song_play", "song_keep"],
    sees: { ...agentOnly, tools: ["agent_call"], kinds: ["song"], packs: ["music", "agent"] },
  },
];

/** A client of a surface with these rights. */
async function connect(wire: (typeof wires)[keyof typeof wires], rights: Rights, surface: SurfaceName) {
  const made = await createSurface({ catalog, rights, surface, twoTool: { store }, onBug: () => {} });
  const { client } = await wire(made);
  return {
    client,
    instructions: made.instructions,
    call: async (name: string, args: object = {}): Promise<string> => {
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return (content as { text?: string }[]).map(({ text = "" }) => text).join("\n");
    },
  };
}

type Connected = Awaited<ReturnType<typeof connect>>;

/** The parts of `all` that the text names. */
const named = (text: string, all: readonly string[]) => all.filter((one) => new RegExp(`\\b${one}\\b`).test(text));

const context = { sessionId: "s", memory: "none", goal: "test" };
const unknownLike = (name: string) => `no tool is named "${name}"`;

async function readable<T>(all: readonly T[], read: (one: T) => Promise<unknown>): Promise<readonly T[]> {
  const found = await Promise.all(
    all.map((one) =>
      read(one).then(
        () => [one],
        () => [],
      ),
    ),
  );
  return found.flat();
}

describe.each(Object.entries(wires))("on %s", (_, wire) => {
  describe.each(cases)("$title", ({ rights, denied, sees }) => {
    const seen = { ...everything, ...sees };
    const hidden = everything.tools.filter((name) => !seen.tools.includes(name));
    const on = async (surface: SurfaceName, check: (connected: Connected) => Promise<void>) => {
      const connected = await connect(wire, rights, surface);
      await check(connected).finally(() => connected.client.close());
    };

    test("the direct list, and its instructions", () =>
      on("direct", async ({ client, instructions }) => {
        const { tools } = await client.listTools();
        const names = new Set(tools.map(({ name }) => name));
        expect(everything.tools.filter((name) => names.has(name))).toEqual(seen.tools);
        expect(named(JSON.stringify(tools), hidden)).toEqual([]);
        expect(named(instructions, everything.packs)).toEqual(seen.packs);
        expect(named(instructions, hidden)).toEqual([]);
      }));

    test("tools/call, tool_invoke, tool_read and calls by tools have the same outcome", () =>
      on("discovery", async ({ call }) => {
        const reads = (name: string) => call("tool_read", { name });
        for (const name of hidden) {
          const refused = await call(name);
          const expected = denied.includes(name)
            ? /^denied: .*this server/
            : new RegExp(`^not_found: ${unknownLike(name)}`);
          expect(refused, name).toMatch(expected);
          expect(await call("tool_invoke", { name }), name).toBe(refused);
          expect(await reads(name), name).toBe(refused);
          if (denied.includes(name)) continue;
          // The error is the same as for a name that no pack has.
          expect(named(refused.replaceAll(unknownLike(name), ""), hidden), name).toEqual([]);
          expect(refused).not.toMatch(/denied|read-only|grant|token/);
        }
        for (const name of seen.tools) {
          if (name !== "agent_call") expect(await call("tool_invoke", { name }), name).toBe(`{"done":"${name}"}`);
        }
        const inner = async (name: string) =>
          JSON.parse(await call("tool_invoke", { name: "agent_call", args: { name } }));
        for (const name of everything.tools.filter((one) => one !== "agent_call")) {
          const code = seen.tools.includes(name) ? "ok" : denied.includes(name) ? "denied" : "not_found";
          expect(await inner(name), name).toEqual({ failure: `${code},not_found`, steps: seen.steps });
        }
      }));

    test("tool_search, tool_describe and the instructions of discovery", () =>
      on("discovery", async ({ client, call, instructions }) => {
        for (const name of everything.tools) {
          const found = await call("tool_search", { query: name.replace("_", " "), limit: 50 });
          expect(named(found, [name, ...hidden]), name).toEqual(seen.tools.includes(name) ? [name] : []);
        }
        const wrongFacet = await call("tool_search", { query: "x", facet: "nothing" });
        expect(named(wrongFacet, everything.packs)).toEqual(seen.packs);
        expect(named(instructions.split("Mounted packs:")[1] ?? "", everything.packs)).toEqual(seen.packs);
        for (const name of hidden) {
          expect(await call("tool_describe", { name })).toMatch(denied.includes(name) ? /^denied: / : /^not_found: /);
        }
        const described = await call("tool_describe", { name: [...seen.tools] });
        expect(named(described, hidden)).toEqual([]);
        for (const kind of everything.kinds) {
          const text = await call("tool_describe", { kind });
          expect(text.startsWith(`kind ${kind}:`), kind).toBe(seen.kinds.includes(kind));
        }
        const noKind = await call("tool_describe", { kind: "none" });
        const shown = `${instructions} ${JSON.stringify(await client.listTools())} ${noKind}`;
        expect(named(shown, missing(everything.kinds, seen.kinds))).toEqual([]);
      }));

    test("prompts", () =>
      on("discovery", async ({ client }) => {
        const { prompts } = await client.listPrompts();
        expect(prompts.map(({ name }) => name).toSorted()).toEqual(seen.prompts.toSorted());
        expect(await readable(everything.prompts, (name) => client.getPrompt({ name }))).toEqual(seen.prompts);
        const errors = await Promise.all(
          [...missing(everything.prompts, seen.prompts), "nothing"].map((name) =>
            client.getPrompt({ name }).catch((error: unknown) => String(error).replace(name, "…")),
          ),
        );
        expect(new Set(errors).size).toBe(1);
      }));

    test("resources", () =>
      on("discovery", async ({ client }) => {
        if (!seen.packs.includes("pictures") && !seen.packs.includes("hub")) {
          expect(client.getServerCapabilities()?.resources).toBeUndefined();
          return;
        }
        const listed = JSON.stringify([await client.listResources(), await client.listResourceTemplates()]);
        expect(listed.includes("hub://")).toBe(seen.resources.includes("hub://log"));
        expect(listed.includes("picture://")).toBe(seen.resources.includes("picture://1"));
        expect(await readable(everything.resources, (uri) => client.readResource({ uri }))).toEqual(seen.resources);
      }));

    test("the two-tool surface", () =>
      on("two-tool", async ({ client, call, instructions }) => {
        const listing = JSON.stringify(await client.listTools());
        const ask = (pack: string) => call("getTools", { context, request: [{ pack }] });
        for (const pack of everything.packs) {
          if (seen.packs.includes(pack)) continue;
          expect(named(`${listing} ${instructions}`, [pack])).toEqual([]);
          expect(await ask(pack)).toContain(`no pack is named "${pack}"`);
        }
        const answers = (await Promise.all([...seen.packs, "kinds", "nothing"].map(ask))).join("\n");
        expect(named(answers, hidden)).toEqual([]);
        const gone = missing(everything.kinds, seen.kinds);
        expect(named(`${answers} ${listing} ${instructions}`, gone)).toEqual([]);
        for (const name of everything.tools.filter((one) => one !== "agent_call")) {
          const pack = packOf(name);
          const used = await call("useTools", { context, calls: [{ pack, tool: name }] });
          if (seen.tools.includes(name)) expect(used, name).toContain(`{"done":"${name}"}`);
          else expect(used, name).toMatch(/(has no tool|no pack is named)/);
        }
      }));

    test("records", () =>
      on("discovery", async ({ call }) => {
        if (!seen.packs.includes("store")) {
          expect(await call("tool_invoke", { name: "store_query", args: { kind: "paper" } })).toMatch(
            /^not_found: no tool/,
          );
          return;
        }
        for (const kind of everything.kinds) {
          const answer = await call("tool_invoke", { name: "store_query", args: { kind }, structured: true });
          if (seen.kinds.includes(kind)) expect(JSON.parse(answer)).toMatchObject({ items: [], total: 0 });
          else expect(answer).toContain(`not_found: kind: there is no kind "${kind}"`);
          const mayChange = seen.changed.includes(kind);
          const code = rights.readOnly === true ? "denied: " : "invalid_input: ";
          const put = await call("tool_invoke", { name: "store_put", args: { kind, record: {} } });
          expect(put.startsWith(mayChange ? code : "not_found: "), put).toBe(true);
        }
      }));
  });
});

function missing(all: readonly string[], seen: readonly string[]): readonly string[] {
  return all.filter((one) => !seen.includes(one));
}

function packOf(name: string): string {
  const packs: Record<string, string> = { file: "files", song: "music", picture: "pictures", hub: "hub" };
  return packs[name.split("_")[0] ?? ""] ?? "";
}
