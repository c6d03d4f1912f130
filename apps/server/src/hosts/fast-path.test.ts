import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { definePack, defineTool, reply, ToolError } from "@toolpacks/core";
import { createSurface, type CallRequest } from "@toolpacks/surface";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { FastPath } from "./fast-path.ts";
import type { Host } from "./host.ts";
import { serveSdk1 } from "./sdk-1.ts";
import { serveSdk2 } from "./sdk-2.ts";

type Message = Readonly<Record<string, unknown>>;

const started: string[] = [];
const stopped: string[] = [];

const tools = definePack({
  name: "sample",
  description: "Tools of each sort.",
  budget: 600,
  tools: () => [
    defineTool({
      name: "say",
      description: "Say a text.",
      mutates: false,
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.string() }),
      text: ({ text }) => text,
      handler: ({ text }) => {
        if (text === "") throw new ToolError("invalid_input", "text: it is empty", "Say something.");
        if (text === "bug") throw new Error("a bug");
        return { text };
      },
    }),
    defineTool({
      name: "draw",
      description: "Draw an image.",
      mutates: false,
      media: true,
      input: z.object({}),
      output: z.object({}),
      handler: () => reply([{ type: "image", data: "aGk=", mimeType: "image/png" }]),
    }),
    defineTool({
      name: "count",
      description: "Count to three, with progress.",
      mutates: false,
      input: z.object({}),
      output: z.object({ counted: z.int() }),
      handler: async (_, { progress }) => {
        for (const n of [1, 2, 3]) await progress(n, 3, `at ${n}`);
        return { counted: 3 };
      },
    }),
    defineTool({
      name: "ask",
      description: "Ask the user.",
      mutates: false,
      input: z.object({}),
      output: z.object({ action: z.string() }),
      handler: async (_, { elicit }) => {
        const schema = { type: "object", properties: { name: { type: "string" } } };
        return { action: (await elicit?.({ message: "Who?", requestedSchema: schema }))?.action ?? "cannot" };
      },
    }),
    defineTool({
      name: "hang",
      description: "Wait until it is cancelled.",
      mutates: false,
      input: z.object({ name: z.string() }),
      output: z.object({}),
      handler: async ({ name }, { signal }) => {
        started.push(name);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        stopped.push(name);
        return {};
      },
    }),
  ],
});

const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const hosts = { "sdk 1": serveSdk1, "sdk 2": serveSdk2 } as const;
const open: Wire[] = [];

/** A client that writes its own lines. */
class Wire {
  readonly #input = new PassThrough();
  readonly #heard: Message[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #answers = new Map<unknown, Message>();
  #text = "";
  #host: Host | undefined;
  #envelope: Message | undefined;

  async connect(sdk: keyof typeof hosts): Promise<this> {
    open.push(this);
    const output = new PassThrough();
    output.on("data", (chunk: Buffer) => this.#hear(chunk.toString()));
    const surface = await createSurface({ packs: [tools()], surface: "direct", onBug: () => {} });
    this.#host = await hosts[sdk]({
      surface,
      listChanged: false,
      version: "1",
      input: this.#input,
      output,
      onError: () => {},
    });
    return this;
  }

  async initialize(): Promise<this> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: { elicitation: {} },
      clientInfo: { name: "t", version: "1" },
    };
    await this.ask({ id: "begin", method: "initialize", params });
    this.write(line({ method: "notifications/initialized" }));
    return this;
  }

  /** Speaks 2026 from now on, and makes a first call, which is the SDK's. */
  async discover(): Promise<this> {
    this.#envelope = modern;
    await this.ask({ id: "begin", method: "server/discover", params: { _meta: modern } });
    await this.call("say", { text: "first" });
    return this;
  }

  write(text: string | Buffer): void {
    this.#input.write(text);
  }

  /** Sends a request, and resolves to its answer. */
  async ask(message: Message): Promise<Message> {
    this.write(line(message));
    return this.next((heard) => heard["id"] === message["id"] && !("method" in heard));
  }

  call(name: string, args?: Message, { id = 1, meta }: { id?: unknown; meta?: Message } = {}): Promise<Message> {
    const said = this.#envelope || meta ? { ...this.#envelope, ...meta } : undefined;
    return this.ask({ id, method: "tools/call", params: { name, arguments: args, _meta: said } });
  }

  /** Answers every request of the server's by this method. */
  answer(method: string, result: Message): void {
    this.#answers.set(method, result);
  }

  async next(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.#heard.findIndex(wanted);
      if (at >= 0) return this.#heard.splice(at, 1)[0] ?? {};
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  end(): void {
    this.#input.end();
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }

  #hear(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const message of lines.map((one) => JSON.parse(one) as Message)) {
      const result = this.#answers.get(message["method"]);
      if (result === undefined) this.#heard.push(message);
      else this.write(line({ id: message["id"], result }));
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

function line(message: Message): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((wire) => wire.close()));
});

test("what is plainly a call of a client that has initialized goes past the SDK, and nothing else", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const called: string[] = [];
  const call = async ({ params }: CallRequest) => {
    called.push(params.name);
    return { content: [] };
  };
  const { rest } = new FastPath({ input, output, server: () => ({ call, elicit: async () => ({}) }) });
  const request = (name: string, more: Message = {}) =>
    line({ id: 1, method: "tools/call", params: { name, ...more } });
  const passed = [
    request("early"),
    line({ method: "notifications/initialized" }),
    request("reserved", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    request("task", { task: {} }),
    line({ id: 2, method: "tools/list" }),
    line({ method: "notifications/cancelled", params: { requestId: 9 } }),
    "no JSON\n",
  ];
  for (const one of passed) input.write(one);
  input.write(request("plain", { _meta: { progressToken: 1, "client.example/mark": true } }));
  input.end();
  expect(await text(rest)).toBe(passed.join(""));
  expect(called).toEqual(["plain"]);
});

test("what a client of 2026 says of itself is the SDK's to judge, once", async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const called: unknown[] = [];
  const call = async (request: CallRequest, raw: unknown) => {
    const { mcpReq } = raw as { mcpReq: { id: unknown; envelope: unknown } };
    called.push([mcpReq.id, mcpReq.envelope, request.params._meta]);
    return { content: [] };
  };
  const server = { call, elicit: async () => ({}), modern: { name: "toolpacks", version: "1" } };
  const fastPath = new FastPath({ input, output, server: () => server });
  const request = (id: number, meta: Message) => {
    const one = line({ id, method: "tools/call", params: { name: "say", _meta: meta } });
    input.write(one);
    return one;
  };
  const other = { ...modern, "io.modelcontextprotocol/clientInfo": { name: "u", version: "1" } };
  const passed = [request(1, modern), request(2, modern)];
  fastPath.reached(1);
  passed.push(request(3, modern));
  fastPath.reached(3);
  request(4, { ...modern, progressToken: "t" });
  passed.push(request(5, other), request(6, { ...modern, "io.modelcontextprotocol/logLevel": "debug" }));
  passed.push(request(7, {}));
  request(8, modern);
  input.end();
  expect(await text(fastPath.rest)).toBe(passed.join(""));
  expect(called).toEqual([
    [4, modern, { progressToken: "t" }],
    [8, modern, undefined],
  ]);
});

describe.each(Object.keys(hosts) as (keyof typeof hosts)[])("calls on %s", (sdk) => {
  const connect = () => new Wire().connect(sdk);

  test.each<[string, Message | undefined]>([
    ["say", { text: "hello\u2028 wörld" }],
    ["say", { text: "" }],
    ["say", { text: "bug" }],
    ["say", { text: 5 }],
    ["say", undefined],
    ["draw", {}],
    ["ask", {}],
    ["nothing", {}],
  ])("of %s %j are answered as the SDK answers them", async (name, args) => {
    const wire = await (await connect()).initialize();
    wire.answer("elicitation/create", { action: "accept", content: { other: 5 } });
    const here = await wire.call(name, args);
    // What the protocol keeps for itself is the SDK's to understand.
    const there = await wire.call(name, args, { meta: { "io.modelcontextprotocol/mark": true } });
    expect(here["result"]).toBeDefined();
    expect(here).toEqual(there);
  });

  test("are the SDK's where they are not plainly right", async () => {
    const wire = await (await connect()).initialize();
    const wrong = [{ params: { name: 5 } }, { params: { name: "say", arguments: [] } }, { params: undefined }];
    for (const [id, request] of wrong.entries()) {
      expect(await wire.ask({ id, method: "tools/call", ...request })).toMatchObject({ error: { code: -32_602 } });
    }
    expect(await wire.call("say", { text: "still here" })).toHaveProperty("result.structuredContent.text");
  });

  test("report progress under the caller's token, before their answer", async () => {
    const wire = await (await connect()).initialize();
    const answer = wire.call("count", {}, { id: "c", meta: { progressToken: "t" } });
    for (const progress of [1, 2, 3]) {
      const { params } = await wire.next(({ method }) => method === "notifications/progress");
      expect(params).toEqual({ progressToken: "t", progress, total: 3, message: `at ${progress}` });
    }
    expect(await answer).toMatchObject({ result: { structuredContent: { counted: 3 } } });
  });

  test("ask the client's user", async () => {
    const wire = await (await connect()).initialize();
    const answer = wire.call("ask", {});
    const { id, params } = await wire.next(({ method }) => method === "elicitation/create");
    expect(params).toMatchObject({ message: "Who?" });
    wire.write(line({ id, result: { action: "decline" } }));
    expect(await answer).toMatchObject({ result: { structuredContent: { action: "decline" } } });
  });

  test("that are cancelled stop, and are not answered", async () => {
    const wire = await (await connect()).initialize();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: `${sdk} one` } } }));
    await expect.poll(() => started).toContain(`${sdk} one`);
    wire.write(line({ method: "notifications/cancelled", params: { requestId: 1 } }));
    await expect.poll(() => stopped).toContain(`${sdk} one`);
    // The next one may have the same id, and its answer is the first with it.
    expect(await wire.call("say", { text: "next" })).toMatchObject({
      result: { structuredContent: { text: "next" } },
    });
  });

  test("stop when the client ends its input", async () => {
    const wire = await (await connect()).initialize();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: `${sdk} two` } } }));
    await expect.poll(() => started).toContain(`${sdk} two`);
    wire.end();
    await expect.poll(() => stopped).toContain(`${sdk} two`);
  });

  test("are neither run nor answered once the host is closed", async () => {
    const wire = await (await connect()).initialize();
    await wire.close();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: `${sdk} three` } } }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).not.toContain(`${sdk} three`);
  });

  test("are read from pieces, several at once, and however long", async () => {
    const wire = await (await connect()).initialize();
    const texts = ["a", "é".repeat(10), "long ".repeat(40_000), "b"];
    const lines = texts.map((text, id) =>
      line({ id, method: "tools/call", params: { name: "say", arguments: { text } } }),
    );
    const bytes = Buffer.from(lines.join(""));
    const answers = texts.map((_, id) => wire.next((message) => message["id"] === id));
    // Cut within a character, and at many other places.
    for (let at = 0; at < bytes.length; at += 997) wire.write(bytes.subarray(at, at + 997));
    for (const [id, answer] of answers.entries()) {
      expect(await answer).toMatchObject({ result: { structuredContent: { text: texts[id] } } });
    }
  });

  test("before the client has initialized are the SDK's", async () => {
    const wire = await connect();
    const early = wire.call("say", { text: '"notifications/initialized"' });
    await wire.initialize();
    // Both SDKs answer; neither waits for the handshake.
    expect(await early).toHaveProperty("result");
    expect(await wire.ask({ id: 2, method: "tools/list" })).toHaveProperty("result.tools.length", 5);
  });
});

describe("calls of a client of 2026", () => {
  const connect = async () => (await new Wire().connect("sdk 2")).discover();
  const mark = { "io.modelcontextprotocol/mark": true };

  test.each<[string, Message | undefined]>([
    ["say", { text: "hello\u2028 wörld" }],
    ["say", { text: "" }],
    ["say", { text: "bug" }],
    ["say", undefined],
    ["draw", {}],
    ["nothing", {}],
  ])("of %s %j are answered as the SDK answers them", async (name, args) => {
    const wire = await connect();
    const here = await wire.call(name, args);
    const there = await wire.call(name, args, { meta: mark });
    expect(here).toHaveProperty("result.resultType", "complete");
    expect(here).toEqual(there);
  });

  test("report progress as the SDK reports it", async () => {
    const wire = await connect();
    const reports = async (meta: Message) => {
      const answer = wire.call("count", {}, { meta: { progressToken: "t", ...meta } });
      const heard: Message[] = [];
      for (let n = 0; n < 3; n += 1) heard.push(await wire.next(({ method }) => method === "notifications/progress"));
      return [...heard, await answer];
    };
    expect(await reports({})).toEqual(await reports(mark));
  });

  test("ask the client's user in an answer, to which it comes back", async () => {
    const wire = await connect();
    for (const meta of [{}, mark]) {
      const asked = await wire.call("ask", {}, { id: "a", meta });
      expect(asked).toMatchObject({ result: { resultType: "input_required", inputRequests: { question: {} } } });
      const { requestState, inputRequests } = asked["result"] as Message;
      expect(Object.keys(asked["result"] as Message).sort()).toEqual(
        ["_meta", "inputRequests", "requestState", "resultType"].sort(),
      );
      expect(inputRequests).toMatchObject({ question: { method: "elicitation/create", params: { message: "Who?" } } });
      const inputResponses = { question: { action: "accept", content: { name: "Ada" } } };
      const params = { name: "ask", arguments: {}, _meta: modern, requestState, inputResponses };
      expect(await wire.ask({ id: "b", method: "tools/call", params })).toMatchObject({
        result: { structuredContent: { action: "accept" } },
      });
    }
  });

  test("that are cancelled stop, and are not answered", async () => {
    const wire = await connect();
    const params = { name: "hang", arguments: { name: "modern" }, _meta: modern };
    wire.write(line({ id: 1, method: "tools/call", params }));
    await expect.poll(() => started).toContain("modern");
    const reason = "tools/call took too long";
    wire.write(line({ method: "notifications/cancelled", params: { requestId: 1, reason, _meta: modern } }));
    await expect.poll(() => stopped).toContain("modern");
    expect(await wire.call("say", { text: "next" })).toMatchObject({
      result: { structuredContent: { text: "next" } },
    });
  });
});
