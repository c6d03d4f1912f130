import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { definePack, defineTool } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface, type SurfaceOptions } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const greeter = definePack({
  name: "greeter",
  description: "Greets.",
  budget: 200,
  core: ["greet"],
  prompts: () => [
    {
      name: "greeting",
      description: "Greets somebody.",
      tool: "greet",
      arguments: [{ name: "who", required: true }],
      text: ({ who }, { callOf }) => `Greet ${who} with the tool ${callOf("greet")}.`,
    },
  ],
  tools: () =>
    ["greet", "greet_loudly"].map((name) =>
      defineTool({
        name,
        description: `${name}.`,
        mutates: false,
        input: z.object({}),
        output: z.object({}),
        handler: () => ({}),
      }),
    ),
});

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const words = Array.from({ length: 120 }, (_, at) => `word-${at}`);

/** A prompt of several messages, whose argument suggests values. */
const album = definePack({
  name: "album",
  description: "Shows pictures.",
  budget: 200,
  prompts: () => [
    {
      name: "picture",
      description: "Shows a picture.",
      tool: "show",
      arguments: [
        { name: "of", complete: (value, { kind = "" }) => [...words, kind].filter((word) => word.startsWith(value)) },
        { name: "kind" },
      ],
      messages: async ({ of: subject = "" }, { callOf }) => [
        { role: "user", content: image },
        { role: "assistant", content: { type: "text", text: `This is ${subject}, by ${callOf("show")}.` } },
      ],
    },
  ],
  tools: () => [
    defineTool({
      name: "show",
      description: "Shows.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

describe.each(Object.entries(wires))("on %s", (_, connect) => {
  test("a prompt has several messages, with images", async () => {
    const { client } = await connect(await createSurface({ packs: [album()], surface: "direct" }));
    expect((await client.listPrompts()).prompts).toEqual([
      { name: "picture", description: "Shows a picture.", arguments: [{ name: "of" }, { name: "kind" }] },
    ]);
    const { messages } = await client.getPrompt({ name: "picture", arguments: { of: "Ada" } });
    expect(messages).toEqual([
      { role: "user", content: image },
      { role: "assistant", content: { type: "text", text: "This is Ada, by show." } },
    ]);
    await client.close();
  });

  test("an argument of a prompt suggests values, at most 100", async () => {
    const { client } = await connect(await createSurface({ packs: [album()], surface: "direct" }));
    const suggest = async (name: string, value: string) => {
      const ref = { type: "ref/prompt", name: "picture" } as const;
      const context = { arguments: { kind: "drawing" } };
      return (await client.complete({ ref, argument: { name, value }, context })).completion;
    };
    expect(await suggest("of", "word-11")).toEqual({
      values: ["word-11", ...words.slice(110)],
      total: 11,
      hasMore: false,
    });
    expect(await suggest("of", "dr")).toMatchObject({ values: ["drawing"] });
    expect(await suggest("of", "")).toEqual({ values: words.slice(0, 100), total: 121, hasMore: true });
    expect(await suggest("kind", "")).toEqual({ values: [], total: 0, hasMore: false });
    const unknown = { ref: { type: "ref/prompt", name: "none" }, argument: { name: "of", value: "" } } as const;
    await expect(client.complete(unknown)).rejects.toThrow('there is no prompt "none"');
    await client.close();
  });

  test("a server whose prompts suggest nothing declares no completions", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    expect(client.getServerCapabilities()?.completions).toBeUndefined();
    await client.close();
  });

  test("a pack's prompt is listed and returns its text", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "greeting", arguments: [{ name: "who" }] }]);
    const { messages } = await client.getPrompt({ name: "greeting", arguments: { who: "Ada" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada with the tool greet." } }]);
    await client.close();
  });

  test("a prompt's missing or misspelt argument is named", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    const get = (args: Record<string, string>) => client.getPrompt({ name: "greeting", arguments: args });
    await expect(get({})).rejects.toThrow('prompt greeting: argument "who" is required');
    await expect(get({ who: "" })).rejects.toThrow('prompt greeting: argument "who" is required');
    await expect(get({ who: "Ada", whom: "x" })).rejects.toThrow('unknown argument "whom" (did you mean "who"?)');
    await client.close();
  });

  test("a prompt names the tools that the surface lists", async () => {
    const pack = { ...greeter(), core: false } as const;
    const store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "prompts-")), "store.db"));
    onTestFinished(() => store.end());
    const promptText = async (options: Omit<SurfaceOptions, "packs">) => {
      const { client } = await connect(await createSurface({ packs: [pack], ...options }));
      const { prompts } = await client.listPrompts();
      if (prompts.length === 0) return undefined;
      const { messages } = await client.getPrompt({ name: "greeting", arguments: { who: "Ada" } });
      await client.close();
      return JSON.parse(JSON.stringify(messages))[0].content.text as string;
    };
    expect(await promptText({ surface: "direct" })).toBe("Greet Ada with the tool greet.");
    expect(await promptText({ surface: "discovery" })).toBe('Greet Ada with the tool tool_invoke (name: "greet").');
    expect(await promptText({ surface: "two-tool", twoTool: { store } })).toBe(
      'Greet Ada with the tool useTools (pack: "greeter", tool: "greet").',
    );
    expect(await promptText({ surface: "direct", expose: [] })).toBeUndefined();
  });

  test("no text of a surface names an entry that the surface does not list", async () => {
    const many = Array.from({ length: 60 }, (_, at) =>
      definePack({
        name: `pack-${at}`,
        description: "Does much of everything. ".repeat(9),
        budget: 9,
        tools: () => [],
      })(),
    );
    const surface = await createSurface({ packs: [greeter(), ...many], surface: "direct" });
    const { client } = await connect(surface);
    expect(surface.instructions).toContain("more.");
    expect(surface.instructions).not.toContain("tool_search");
    const answer = await client.callTool({ name: "zzz", arguments: {} }).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).not.toContain("tool_search");
    await client.close();
  });

  test("a prompt whose tool is denied is not listed", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()], rights: { deny: ["greet"] } }));
    expect((await client.listPrompts()).prompts).toEqual([]);
    await client.close();
  });

  test("a pack lists only its named tools with the core facet", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke", "greet"]);
    await client.close();
  });
});
