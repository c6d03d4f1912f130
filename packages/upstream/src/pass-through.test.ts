import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { definePack, defineTool } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { UpstreamPack } from "./upstream.ts";
import { connectThrough, createUpstream, everythingServer } from "./wire.fixture.ts";

const server = await everythingServer();
const everything = (): UpstreamPack => createUpstream({ name: "every", ...server });

/** A pack with prompts, some of which have names that the server's prompts may have. */
const greeter = definePack({
  name: "greeter",
  description: "Greets.",
  budget: 200,
  prompts: () =>
    ["greeting", "every_greeting", "every_args_prompt"].map((name) => ({
      name,
      description: "Greets somebody.",
      tool: "greet",
      arguments: [],
      text: () => "Greet with the tool greet.",
    })),
  tools: () => [
    defineTool({
      name: "greet",
      description: "Greets.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

const eras = {
  "protocol 2025-11-25": {},
  "protocol 2026-07-28": { versionNegotiation: { mode: { pin: "2026-07-28" } } },
} as const;

/** The parameters of a call through `tool_invoke`. */
const called = (name: string, args: object = {}) => ({
  name: "tool_invoke",
  arguments: { name: `every_${name}`, args },
});

function invoke(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool(called(name, args));
}

const textOf = ({ content }: { content: readonly ContentBlock[] }) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");

describe.each(Object.entries(eras))("to a client of %s", (_, era) => {
  test("each progress notification is passed on", async () => {
    const { client } = await connectThrough([everything()], era);
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => seen.push(progress);
    await client.callTool(called("trigger_long_running_operation", { duration: 0.3, steps: 3 }), { onprogress });
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })));
  });

  test("a cancelled call ends at once, and the server answers the next", async () => {
    const { client } = await connectThrough([everything()], era);
    await invoke(client, "echo", { message: "started" });
    const signal = AbortSignal.timeout(100);
    // Longer than the timeout of a test.
    const cancelled = client.callTool(called("trigger_long_running_operation", { duration: 600 }), { signal });
    await expect(cancelled).rejects.toThrow();
    expect(textOf(await invoke(client, "echo", { message: "still" }))).toBe("Echo: still");
  });

  test("an image is passed on as an image", async () => {
    const { client } = await connectThrough([everything()], era);
    const image = (await invoke(client, "get_tiny_image")).content.find(({ type }) => type === "image");
    expect(image).toMatchObject({ mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) as string });
  });

  test("linked resources, listed resources and resources of a template can be read", async () => {
    const { client } = await connectThrough([everything()], era);
    const { content } = await invoke(client, "get_resource_links", { count: 2 });
    const links = content.filter((block) => block.type === "resource_link");
    expect(links).toHaveLength(2);
    for (const { uri } of links) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri });
    }
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(3);
    const [first] = resources;
    expect(first?.uri).toMatch(/^toolpacks:\/\/every\/demo:\/\//);
    const listed = await client.readResource({ uri: first?.uri ?? "" });
    expect(listed.contents[0]).toHaveProperty("text");
    const { resourceTemplates } = await client.listResourceTemplates();
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes("text/{"));
    const uri = template?.uriTemplate.replace(/\{\w+\}/, "7") ?? "";
    const templated = await client.readResource({ uri });
    expect(templated.contents[0]).toMatchObject({ text: expect.stringContaining("Resource 7") as string });
    await expect(client.readResource({ uri: "toolpacks://unknown/file:///etc/passwd" })).rejects.toThrow("no resource");
  });

  test("prompts are listed with the server's prefix, and answered by the server", async () => {
    const { client } = await connectThrough([everything()], era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("every_args_prompt");
    const answer = await client.getPrompt({ name: "every_args_prompt", arguments: { city: "Oslo", state: "Viken" } });
    expect(JSON.stringify(answer.messages)).toContain("Oslo");
    await expect(client.getPrompt({ name: "every_nothing" })).rejects.toThrow("every_nothing");
  });

  test("a pack's own prompts are listed before the server's, and hide those of the same name", async () => {
    const { client } = await connectThrough([everything(), greeter()], era);
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["greeting", "every_greeting", "every_args_prompt"]);
    expect(names).toContain("every_simple_prompt");
    expect(new Set(names).size).toBe(names.length);
    for (const name of names.slice(0, 3)) {
      const { messages } = await client.getPrompt({ name });
      expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Greet with the tool greet." } }]);
    }
    const { messages } = await client.getPrompt({ name: "every_simple_prompt" });
    expect(messages.length).toBeGreaterThan(0);
    await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow('there is no prompt "nothing"');
  });

  test("the server's question reaches the user, and the answer reaches the server", async () => {
    const { client } = await connectThrough([everything()], {
      ...era,
      capabilities: { elicitation: { form: {} } },
    });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { name: "Ada", check: true, firstLine: "x" } };
    });
    const answer = textOf(await invoke(client, "trigger_elicitation_request"));
    expect(asked).toHaveLength(1);
    expect(answer).toContain("Ada");
  });

  test("a question is cancelled if the client cannot ask its user", async () => {
    const { client } = await connectThrough([everything()], era);
    expect(textOf(await invoke(client, "trigger_elicitation_request"))).toContain("cancelled");
  });
});

test("a failed call keeps the server's message", async () => {
  const { client } = await connectThrough([everything()]);
  const result = await invoke(client, "simulate_research_query", { topic: "python" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/task/i);
});
