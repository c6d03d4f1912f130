import { defineKind, definePack, defineTool, ToolError } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { foreignPack, sharedTools, syntheticPack } from "../packs.fixture.ts";
import { remoteOf } from "../remote.fixture.ts";
import { connect, scratchStore } from "./connect.fixture.ts";
import { deskPack } from "./desk.fixture.ts";

const book = defineKind({ name: "book", description: "Something to read.", schema: z.object({ title: z.string() }) });
const library = definePack({ name: "library", description: "Books.", budget: 1, kinds: [book], tools: () => [] });

/** A pack whose tools have several prefixes, and whose texts name its own tools. */
const brain = definePack({
  name: "brain",
  description: "Knowledge that lasts.",
  budget: 400,
  tools: () => [
    defineTool({
      name: "brain_keep",
      description: "Keep a fact. brain_find finds it, tool_describe explains it.",
      mutates: true,
      aliases: ["keep_fact"],
      input: z.object({ fact: z.string().max(100).describe("as brain_find answers it, such as 'x'") }),
      output: z.object({ id: z.string() }),
      examples: [{ args: { fact: "brain_find" } }],
      handler: ({ fact }) => {
        if (fact === "no")
          throw new ToolError("conflict", "fact: brain_find knows it", "Call brain_find, or note_list.");
        return { id: "f1" };
      },
    }),
    defineTool({
      name: "brain_find",
      description: "Find facts.",
      mutates: false,
      input: z.object({ words: z.string().max(100).describe("of a fact") }),
      output: z.object({ items: z.array(z.string()), hint: z.string().optional() }),
      text: ({ items, hint }) => [...items, ...(hint === undefined ? [] : [hint])].join("\n"),
      handler: ({ words }) => ({ items: [`brain_keep ${words}`], hint: "brain_keep keeps more." }),
    }),
    defineTool({
      name: "note_list",
      description: "List notes.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

describe("short names", () => {
  test("are those of getTools, also in a pack with several prefixes, and the long ones still work", async () => {
    const { client, read } = await connect([brain()]);
    expect((await client.listTools()).tools[0]?.description).toContain("brain: [keep,find,note_list]");
    const list = await read("getTools", { request: [{ pack: "brain" }] });
    expect(list).toContain("\nkeep(fact: string (as brain: find answers it, such as 'x')) [mutates]: Keep a fact");
    expect(list).toContain("\nnote_list()");
    const call = (tool: string) => read("useTools", { calls: [{ pack: "brain", tool, params: { fact: "a" } }] });
    for (const tool of ["keep", "brain_keep", "keep_fact"]) expect(await call(tool)).toContain("1 succeeded");
  });

  test("replace the long ones in descriptions and fields; examples are exact", async () => {
    const { read } = await connect([brain()]);
    expect(await read("getTools", { request: [{ pack: "brain", tools: ["keep"] }] })).toContain(
      [
        "keep [mutates]: Keep a fact. brain: find finds it, getTools explains it.",
        "  fact: string - as brain: find answers it, such as 'x'",
        "returns id",
        'example: {"fact":"brain_find"}',
      ].join("\n"),
    );
  });

  test("replace the long ones in failures and hints; the rest of a result is data", async () => {
    const { read } = await connect([brain()]);
    const failed = await read("useTools", { calls: [{ pack: "brain", tool: "keep", params: { fact: "no" } }] });
    expect(failed).toContain("conflict: fact: brain: find knows it\nCall brain: find, or brain: note_list.");
    const found = await read("useTools", { calls: [{ pack: "brain", tool: "find", params: { words: "a" } }] });
    expect(found).toContain("brain_keep a\nbrain: keep keeps more.");
  });

  test("do not change what another server says", async () => {
    const tool = defineTool({
      name: "other_say",
      description: "Say brain_keep.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => {
        throw new ToolError("not_found", "no brain_keep here");
      },
    });
    const pack = definePack({ name: "other", description: "Another server.", budget: 100, tools: () => [tool] })();
    const tools = await pack.tools();
    const { read } = await connect([brain(), { ...pack, tools: async () => tools, remote: remoteOf("other_", tools) }]);
    expect(await read("getTools", { request: [{ pack: "other", tools: ["say"] }] })).toContain("Say brain_keep.");
    expect(await read("useTools", { calls: [{ pack: "other", tool: "say", params: {} }] })).toContain(
      "no brain_keep here",
    );
  });
});

describe("getTools without a context", () => {
  test("answers for the project's workspace, and names no session", async () => {
    const { client } = await connect([deskPack().pack]);
    const ask = async (args: Record<string, unknown>) => {
      const { content } = await client.callTool({ name: "getTools", arguments: args });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    };
    for (let time = 0; time < 2; time += 1) {
      expect(await ask({ request: [{ pack: "desk" }] })).toMatch(/^workspace default\n\ndesk:\nput\(title[^]*moment$/);
    }
    expect(await ask({ context: { goal: "look" } })).toContain("context.sessionId: required");
  });
});

describe("getTools of a pack", () => {
  const field = z.string().max(100).describe("a text such as tomorrow's weather in a town of your own choice");
  const large = (count: number) =>
    definePack({
      name: "large",
      description: "Many tools.",
      budget: 20_000,
      tools: () =>
        Array.from({ length: count }, (_, at) =>
          defineTool({
            name: `large_do_${at}`,
            description: "Do something large.",
            mutates: false,
            input: z.object({ first: field, [`second_${at}`]: field.optional() }),
            output: z.object({}),
            handler: () => ({}),
          }),
        ),
    })();

  test("has complete signatures of the first tools, within a bound, and a short line for each other one", async () => {
    const { read } = await connect([large(100)]);
    const lines = (await read("getTools", { request: [{ pack: "large" }] })).split("\n").slice(3);
    expect(lines).toHaveLength(100);
    expect(lines[0]).toContain("do_0(first: string (a text such as");
    expect(lines.findIndex((line) => line.includes("(…)"))).toBeLessThan(99);
    expect(lines[99]).toBe("do_99(…): Do something large");
    expect(encode(lines.join("\n")).length).toBeLessThan(1_500);
  });

  test("has the whole of each tool if that fits", async () => {
    const { read } = await connect([large(20)]);
    expect(await read("getTools", { request: [{ pack: "large" }] })).not.toContain("…");
  });
});

describe("getTools without a request", () => {
  test("lists every pack with its tools and kinds; a pack that has kinds alone can be asked for", async () => {
    const packs = [library(), brain(), storePack({ store: scratchStore(), kinds: [book] })];
    const { read } = await connect(packs);
    for (const given of [{}, { request: [] }, { request: [{}] }]) {
      const text = await read("getTools", given);
      expect(text).toContain("library: Books (kinds book)\nbrain: Knowledge that lasts (tools keep,find,note_list)");
    }
    const text = await read("getTools", { request: [{ pack: "library" }, { pack: "library", tools: ["book"] }] });
    expect(text).toContain("no tools; store: put, store: query, store: close take its kinds: book");
    expect(text).toContain("kind book: Something to read.\n  title: string");
    const failed = await read("useTools", { calls: [{ pack: "library", tool: "add", params: {} }] });
    expect(failed).toContain("pack library has no tools; store: put, store: query, store: close take its kinds: book");
  });

  test("tells about another server in its own words as soon as they are known", async () => {
    const tools = await brain().tools();
    let about: string | undefined;
    const remote = { ...remoteOf("brain_", tools), about: async () => about };
    const { read } = await connect([{ ...brain(), tools: async () => tools, remote }]);
    expect(await read("getTools", {})).toContain("brain: Knowledge that lasts (tools");
    about = "The Brain: remembers what you tell it";
    expect(await read("getTools", {})).toContain("brain: The Brain: remembers what you tell it (tools");
  });

  test("names at most a dozen tools of a pack", async () => {
    const { read } = await connect([syntheticPack(1_000)]);
    const text = await read("getTools", {});
    expect(text).toContain(",… 1000 in all)");
    expect(encode(text).length).toBeLessThan(200);
  });
});

describe("a query of getTools", () => {
  test("finds the best tools of all packs, ready to call, and says a tool that two queries find once", async () => {
    const { read } = await connect([brain(), deskPack().pack]);
    const request = [{ query: "keep a fact" }, { query: "put a paper on the desk" }, { query: "keep this fact" }];
    const text = await read("getTools", { request });
    expect(text).toContain('"keep a fact":\nbrain: keep [mutates]: Keep a fact. brain: find');
    expect(text).toContain('"put a paper on the desk":\ndesk: put [mutates]: Put a paper');
    expect(text).toContain('"keep this fact":\nbrain: keep: above');
  });

  test("about a record explains its kind", async () => {
    const reminder = defineKind({
      name: "reminder",
      description: "Something to be reminded of.",
      keywords: ["remind me", "every week", "due"],
      schema: z.object({ text: z.string(), due: z.string(), repeat: z.string().optional() }),
    });
    const planner = definePack({
      name: "planner",
      description: "Plans.",
      budget: 1,
      kinds: [reminder],
      tools: () => [],
    });
    const store = storePack({ store: scratchStore(), kinds: [book, reminder] });
    const { read } = await connect([planner(), store, brain()]);
    const text = await read("getTools", { request: [{ query: "remind me every Monday" }, { query: "remind me" }] });
    expect(text).toContain("store: put(kind: string (as getTools");
    expect(text).toContain(
      "kind reminder: Something to be reminded of.\n  text: string\n  due: string\n  repeat?: string",
    );
    expect(text).toContain("kind reminder: above");
    for (const request of [{ pack: "planner" }, { tools: ["planner: reminder"] }])
      expect(await read("getTools", { request: [request] })).toContain("kind reminder: Something to be reminded of.");
    const both = await read("getTools", { request: [{ tools: ["brain: keep", "planner: reminder"] }] });
    expect(both).toMatch(/brain:\nkeep [^]*\n\nplanner:\nkind reminder/);
  });

  test("that matches nothing says so, and shows no tool", async () => {
    const { read } = await connect([brain(), deskPack().pack]);
    expect(await read("getTools", { request: [{ query: "xyzzy" }] })).toMatch(
      /\n\n"xyzzy":\nnothing matches: try other words/,
    );
  });

  test("can be limited to a pack, whose name must be right", async () => {
    const { read } = await connect([brain(), deskPack().pack]);
    const text = await read("getTools", { request: [{ query: "keep a fact", pack: "desk" }] });
    expect(text).not.toContain("brain:");
    expect(await read("getTools", { request: [{ query: "keep a fact", pack: "dask" }] })).toContain(
      'no pack is named "dask"; nearest: desk',
    );
  });

  const github = sharedTools("github-tools.json");
  test.skipIf(github === undefined)("shows the fields of one of 117 tools without a list of them", async () => {
    const { read } = await connect([foreignPack("github", github ?? []), brain()]);
    const text = await read("getTools", { request: [{ query: "comment on an issue" }] });
    expect(text).toMatch(/github: add_issue_comment \[mutates\].*body\?: string/s);
    expect(encode(text).length).toBeLessThan(600);
    const many = Array.from({ length: 50 }, (_, at) => ({ query: `list the pull requests of repository ${at}` }));
    expect(encode(await read("getTools", { request: many })).length).toBeLessThan(4_000);
  });
});

describe("the list", () => {
  const own = ["files", "issues", "memory", "search", "flows", "store"].map((name) => syntheticPack(10, name));
  const github = foreignPack("github", sharedTools("github-tools.json") ?? []);
  const sets = { "10": syntheticPack(10), "117": github, "1,000": syntheticPack(1_000) };

  test.each(Object.entries(sets))(
    "takes at most 585 tokens with %s tools and those of seven other packs",
    async (_, pack) => {
      const { client } = await connect([...own, library(), pack]);
      const { tools } = await client.listTools();
      const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      expect(encode(JSON.stringify(listed)).length).toBeLessThanOrEqual(585);
    },
  );
});
