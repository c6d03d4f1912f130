import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { definePack, defineTool } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface, type SurfaceOptions } from "./index.ts";
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

describe.each(Object.entries(wires))("on %s", (_, connect) => {
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
