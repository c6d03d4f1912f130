import { definePack, defineTool } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./index.ts";
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
      text: ({ who }) => `Greet ${who} with the tool greet.`,
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
  test("a pack's prompt is listed, and says its text", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "greeting", arguments: [{ name: "who" }] }]);
    const { messages } = await client.getPrompt({ name: "greeting", arguments: { who: "Ada" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet Ada with the tool greet." } }]);
    await client.close();
  });

  test("a prompt whose tool is denied is not", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()], deny: ["greet"] }));
    expect((await client.listPrompts()).prompts).toEqual([]);
    await client.close();
  });

  test("a pack lists the tools that it names with the core facet, and no other", async () => {
    const { client } = await connect(await createSurface({ packs: [greeter()] }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke", "greet"]);
    await client.close();
  });
});
