import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as SecondServer } from "@modelcontextprotocol/server";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineKind } from "./define-kind.ts";
import { definePack } from "./define-pack.ts";
import { defineTool } from "./define-tool.ts";
import { reply } from "./outcome.ts";
import { ToolError } from "./tool-error.ts";
import type { Prompt } from "./prompt.ts";
import type { Store } from "./store.ts";
import type { ToolContext } from "./tool.ts";
import type { ToolHost } from "./tool-host.ts";
import { wires } from "./wire.fixture.ts";

let seen: ToolContext | undefined;
let stopped: Promise<string> | undefined;
const whenStopped = () => stopped;

const counter = definePack({
  name: "counter",
  description: "Counts.",
  budget: 300,
  tools: () => [
    defineTool({
      name: "count_to",
      description: "Count.",
      mutates: false,
      input: z.object({ steps: z.int().max(10).default(3).describe("how far") }),
      output: z.object({ counted: z.int() }),
      text: ({ counted }) => `counted to ${counted}`,
      handler: async ({ steps }, context) => {
        seen = context;
        for (let step = 1; step <= steps; step += 1) await context.progress(step, steps, `step ${step}`);
        return { counted: steps };
      },
    }),
    defineTool({
      name: "count_forever",
      description: "Count until stopped.",
      mutates: true,
      effects: { destructive: false },
      input: z.object({}),
      output: z.object({}),
      handler: (_input, { signal }) => {
        stopped = new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
        return stopped.then(() => {
          throw new Error("interrupted");
        });
      },
    }),
    defineTool({
      name: "count_wrong",
      description: "Fail.",
      mutates: false,
      input: z.object({ bug: z.boolean().describe("fail with a bug") }),
      output: z.object({}),
      handler: ({ bug }) => {
        throw bug ? new Error("the inner secret") : new ToolError("conflict", "count: changed", "Read it again.");
      },
    }),
    defineTool({
      name: "count_picture",
      description: "Draw.",
      mutates: false,
      media: true,
      input: z.object({}),
      output: z.object({}),
      handler: () => reply([{ type: "image", data: "aGk=", mimeType: "image/png" }]),
    }),
  ],
});

describe.each(Object.entries(wires))("registerWith over %s", (_wire, connect) => {
  test("registers the prompts that lead to a tool", async () => {
    const prompt = (name: string, fields: Partial<Prompt> = {}): Prompt => ({
      name,
      description: `${name}.`,
      tool: "greet",
      arguments: [],
      text: (args) => `Greet ${args["who"] ?? "everybody"}.`,
      ...fields,
    });
    const who = { name: "who", description: "whom to greet", required: true };
    const greeter = definePack({
      name: "greeter",
      description: "Greets.",
      budget: 200,
      prompts: () => [
        prompt("greeting", { arguments: [who, { name: "how" }] }),
        prompt("roll_call"),
        prompt("shouting", { tool: "shout" }),
      ],
      tools: () =>
        ["greet", "shout"].map((name) =>
          defineTool({
            name,
            description: `${name}.`,
            mutates: name === "shout",
            input: z.object({}),
            output: z.object({}),
            handler: () => ({}),
          }),
        ),
    });
    const connection = await connect(greeter(), { readOnly: true });
    expect(await connection.prompts()).toMatchObject([
      { name: "greeting", arguments: [who, { name: "how", required: false }] },
      { name: "roll_call" },
    ]);
    const messagesOf = (text: string) => [{ role: "user", content: { type: "text", text } }];
    expect(await connection.prompt("greeting", { who: "Ada" })).toEqual(messagesOf("Greet Ada."));
    expect(await connection.prompt("roll_call")).toEqual(messagesOf("Greet everybody."));
    await expect(connection.prompt("greeting", {})).rejects.toThrow("who");
    await connection.close();
  });

  test("lists its tools beside the server's own, with slim schemas and annotations", async () => {
    const { list, call, close } = await connect(counter());
    const tools = await list();
    expect(tools.map(({ name }) => name)).toEqual(["own", "count_to", "count_forever", "count_wrong", "count_picture"]);
    const listed = tools[1];
    expect(listed?.inputSchema).toMatchObject({
      type: "object",
      properties: { steps: { type: "integer", default: 3, maximum: 10, description: "how far" } },
    });
    expect(listed?.outputSchema).toMatchObject({ properties: { counted: { type: "integer" } }, required: ["counted"] });
    expect(listed?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(tools[2]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(tools[4]?.outputSchema).toBeUndefined();
    expect((await call("own", {})).content).toEqual([{ type: "text", text: "own" }]);
    await close();
  });

  test("fills in defaults and returns text and structured content", async () => {
    const { list, call, close } = await connect(counter());
    await list();
    expect(await call("count_to", {})).toMatchObject({
      content: [{ type: "text", text: "counted to 3" }],
      structuredContent: { counted: 3 },
    });
    expect(seen?.requestId).toBeDefined();
    expect(seen?.header?.("authorization")).toBeUndefined();
    await close();
  });

  test("returns only text if results are text", async () => {
    const { list, call, close } = await connect(counter(), { results: "text" });
    expect((await list())[1]?.outputSchema).toBeUndefined();
    const result = await call("count_to", { steps: 1 });
    expect(result.content).toEqual([{ type: "text", text: "counted to 1" }]);
    expect(result.structuredContent).toBeUndefined();
    await close();
  });

  test("passes progress on to a caller who asked for it", async () => {
    const { call, close } = await connect(counter());
    const heard: unknown[] = [];
    await call("count_to", {}, { onprogress: (progress) => heard.push(progress) });
    expect(heard).toMatchObject([
      { progress: 1, total: 3, message: "step 1" },
      { progress: 2, total: 3, message: "step 2" },
      { progress: 3, total: 3, message: "step 3" },
    ]);
    await close();
  });

  test("a cancelled call fires the handler's signal, and the connection serves the next", async () => {
    stopped = undefined;
    const { call, close } = await connect(counter());
    const controller = new AbortController();
    const answer = call("count_forever", {}, { signal: controller.signal }).catch(() => "rejected");
    await vi.waitFor(() => expect(stopped).toBeDefined());
    controller.abort();
    expect(await whenStopped()).toBe("stopped");
    expect(await answer).toBe("rejected");
    expect(await call("count_to", { steps: 1 })).toMatchObject({ structuredContent: { counted: 1 } });
    await close();
  });

  test("a closed connection fires the handler's signal", async () => {
    stopped = undefined;
    const { call, close } = await connect(counter());
    const answer = call("count_forever", {}).catch(() => "rejected");
    await vi.waitFor(() => expect(stopped).toBeDefined());
    await close();
    expect(await whenStopped()).toBe("stopped");
    expect(await answer).toBe("rejected");
  });

  test("failures are error results with code, message and hint, and a bug shows nothing", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const { list, call, close } = await connect(counter());
    await list();
    const conflict = await call("count_wrong", { bug: false });
    expect(conflict).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "conflict: count: changed\nRead it again." }],
      _meta: { "toolpacks/error": { code: "conflict", message: "count: changed", hint: "Read it again." } },
    });
    expect(conflict.structuredContent).toBeUndefined();
    const wrong = await call("count_to", { step: 3 });
    expect(wrong.content).toEqual([
      { type: "text", text: "invalid_input: step: unknown field, did you mean steps? (accepted: steps)" },
    ]);
    expect(log).not.toHaveBeenCalled();
    const bug = await call("count_wrong", { bug: true });
    expect(bug).toMatchObject({ isError: true, _meta: { "toolpacks/error": { code: "internal" } } });
    expect(JSON.stringify(bug)).not.toContain("secret");
    expect(String(log.mock.calls)).toContain("the inner secret");
    log.mockRestore();
    await close();
  });

  test("images are returned without structured content", async () => {
    const { list, call, close } = await connect(counter());
    await list();
    const result = await call("count_picture", {});
    expect(result.content).toEqual([{ type: "image", data: "aGk=", mimeType: "image/png" }]);
    expect(result.structuredContent).toBeUndefined();
    await close();
  });

  test("a read-only registration leaves out mutating tools", async () => {
    const { list, close } = await connect(counter(), { readOnly: true });
    expect((await list()).map(({ name }) => name)).toEqual(["own", "count_to", "count_wrong", "count_picture"]);
    await close();
  });

  test("interceptors see each call", async () => {
    const names: string[] = [];
    const { call, close } = await connect(counter(), {
      interceptors: [
        (request, next) => {
          names.push(`${request.facet} ${request.tool.name}`);
          return next(request);
        },
      ],
    });
    await call("count_to", {});
    expect(names).toEqual(["counter count_to"]);
    await close();
  });
});

describe("ToolHost", () => {
  test("accepts the McpServer of both SDKs, and no other object", () => {
    const first: ToolHost = new FirstServer({ name: "test", version: "1.0.0" });
    const second: ToolHost = new SecondServer({ name: "test", version: "1.0.0" });
    // @ts-expect-error a host registers tools by name, config and handler
    const third: ToolHost = { registerTool: (name: number) => name };
    expect([first, second, third]).toHaveLength(3);
  });
});

describe("definePack", () => {
  const greedy = definePack({
    name: "greedy",
    description: "Needs options.",
    budget: 1,
    options: z.strictObject({ path: z.string(), depth: z.int().default(1) }),
    tools: () => [],
  });

  test("names each wrong option, and the option nearest to an unknown one", () => {
    expect(() => greedy({ path: 5 } as never)).toThrow("greedy: path: expected string, received number");
    expect(() => greedy({ path: "a", dept: 1 } as never)).toThrow("did you mean depth?");
  });

  test("passes a pack the services that it needs, and names a missing one", async () => {
    const received: unknown[] = [];
    const keeping = definePack({
      name: "keeping",
      description: "Keeps something.",
      budget: 1,
      needs: ["store", "log"],
      options: z.strictObject({ depth: z.int().default(1) }),
      tools: (options, services) => {
        received.push(options, services.store, typeof services.log.warn);
        return [];
      },
    });
    const bare = definePack({ name: "bare", description: "Bare.", budget: 1, needs: ["store"], tools: () => [] });
    const store = { transaction: () => {} } as unknown as Store;
    await keeping({ depth: 2, store }).tools();
    expect(received).toEqual([{ depth: 2 }, store, "function"]);
    expect(keeping.needs).toEqual(["store", "log"]);
    expect(bare({ store }).name).toBe("bare");
    // @ts-expect-error the store is required
    expect(() => keeping({})).toThrow("keeping: needs a store: pass {store}, such as sqlite(");
    // @ts-expect-error the store is required
    expect(() => bare()).toThrow("bare: needs a store");
    // @ts-expect-error a pack that needs nothing takes no store
    expect(() => greedy({ path: "a", store })).toThrow("store: unknown field");
  });

  test("refuses a name that is not lower-case", () => {
    expect(() => definePack({ name: "My pack", description: "", budget: 1, tools: () => [] })).toThrow("My pack");
  });

  test("refuses options that its schema would drop, at any depth", () => {
    const list = z.object({ over: z.int().default(20), show: z.int().default(5) });
    const dropping = definePack({
      name: "dropping",
      description: "Takes options.",
      budget: 100,
      options: z
        .object({ path: z.string().optional(), list: list.optional(), any: z.looseObject({}).optional() })
        .prefault({}),
      tools: () => [],
    });
    const wrong = { pth: "x", list: { ovr: 1 } } as object;
    expect(() => dropping(wrong)).toThrow(
      /^dropping: pth: unknown field, did you mean path\?.*; list\.ovr: unknown field/,
    );
    expect(dropping({ list: { over: 1 }, any: { thing: 1 } }).name).toBe("dropping");
    expect(dropping().name).toBe("dropping");
  });

  test("derives kinds from its options", () => {
    const kept = definePack({
      name: "kept",
      description: "Keeps something.",
      budget: 1,
      options: z.strictObject({ of: z.string().default("note") }),
      kinds: ({ of }) => [defineKind({ name: of, schema: z.object({ text: z.string() }) })],
      tools: () => [],
    });
    expect([kept({}), kept({ of: "task" })].map(({ kinds }) => kinds.map(({ name }) => name))).toEqual([
      ["note"],
      ["task"],
    ]);
  });

  test("creates its tools once, and again after a failure", async () => {
    let attempts = 0;
    const flaky = definePack({
      name: "flaky",
      description: "Fails once.",
      budget: 1,
      tools: () => {
        attempts += 1;
        if (attempts === 1) throw new Error("not yet");
        return [];
      },
    })();
    await expect(flaky.tools()).rejects.toThrow("not yet");
    expect(await flaky.tools()).toBe(await flaky.tools());
    expect(attempts).toBe(2);
  });
});
