import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { definePack, defineTool, reply, ToolError } from "@toolpacks/core";
import { createSurface } from "@toolpacks/surface";
import { z } from "zod";
import type { RunningHost, UseRoots } from "./served-surface.ts";
import { SurfaceHolder } from "./surface-holder.ts";
import { serveStdio } from "./serve-stdio.ts";

export type Message = Readonly<Record<string, unknown>>;

export const started: string[] = [];
export const stopped: string[] = [];
/** Progress notifications of the tool `flood`. */
export const floodSteps = 20_000;
/** One entry for each call of `flood` that has made all its notifications. */
export const flooded: number[] = [];

const flood = defineTool({
  name: "flood",
  description: "Report progress without a pause.",
  mutates: false,
  input: z.object({}),
  output: z.object({ reported: z.int() }),
  handler: async (_, { progress }) => {
    for (let n = 1; n < floodSteps; n += 1) {
      void progress(n, floodSteps, "x".repeat(1_000));
      if (n % 100 === 0) await setImmediate();
    }
    flooded.push(floodSteps);
    await progress(floodSteps, floodSteps);
    return { reported: floodSteps };
  },
});

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
    flood,
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

export const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

const open: Wire[] = [];

/** A client that reads and writes raw messages. */
export class Wire {
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #received: Message[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #answers = new Map<unknown, Message>();
  #text = "";
  #host: RunningHost | undefined;
  #envelope: Message | undefined;
  #supportsRoots = false;

  /** @param useRoots where it is given, the client supports roots */
  async connect(useRoots?: UseRoots): Promise<this> {
    this.#supportsRoots = useRoots !== undefined;
    open.push(this);
    const output = this.#output;
    output.on("data", (chunk: Buffer) => this.#receive(chunk.toString()));
    const surface = await createSurface({ packs: [tools()], surface: "direct", onBug: () => {} });
    const served = new SurfaceHolder(surface, { useRoots });
    const options = {
      info: { name: "toolpacks", version: "1" },
      input: this.#input,
      output,
      onError: () => {},
    };
    this.#host = await serveStdio(served, options);
    return this;
  }

  async initialize(): Promise<this> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: { elicitation: {}, ...(this.#supportsRoots && { roots: { listChanged: true } }) },
      clientInfo: { name: "t", version: "1" },
    };
    await this.ask({ id: "begin", method: "initialize", params });
    this.write(line({ method: "notifications/initialized" }));
    return this;
  }

  /** Uses the 2026 protocol from now on, and makes a first call. */
  async discover(): Promise<this> {
    this.#envelope = modern;
    await this.ask({ id: "begin", method: "server/discover", params: { _meta: modern } });
    await this.call("say", { text: "first" });
    return this;
  }

  write(text: string | Buffer): void {
    this.#input.write(text);
  }

  /** Sends a request and resolves to its response. */
  async ask(message: Message): Promise<Message> {
    this.write(line(message));
    return this.next((received) => received["id"] === message["id"] && !("method" in received));
  }

  call(name: string, args?: Message, { id = 1, meta }: { id?: unknown; meta?: Message } = {}): Promise<Message> {
    const metadata = this.#envelope || meta ? { ...this.#envelope, ...meta } : undefined;
    return this.ask({ id, method: "tools/call", params: { name, arguments: args, _meta: metadata } });
  }

  /** Answers every server request of this method with a result. */
  answer(method: string, result: Message): void {
    this.#answers.set(method, result);
  }

  /** Resolves to the first message that matches, and removes it. */
  async next(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.#received.findIndex(isWanted);
      if (at >= 0) return this.#received.splice(at, 1)[0] ?? {};
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Stops reading. */
  pause(): void {
    this.#output.pause();
  }

  resume(): void {
    this.#output.resume();
  }

  /** Bytes that the server has written and the client has not read. */
  get unreadBytes(): number {
    return this.#output.readableLength + this.#output.writableLength;
  }

  end(): void {
    this.#input.end();
  }

  /** Closes the output of the server with an error, as when the client has closed its end of the pipe. */
  breakOutput(): void {
    this.#output.destroy(new Error("EPIPE"));
  }

  /** Resolves when the host can serve no longer. */
  get ended(): Promise<void> {
    return this.#host?.ended ?? Promise.reject(new Error("the host has not started"));
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }

  #receive(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const message of lines.map((one) => JSON.parse(one) as Message)) {
      const result = this.#answers.get(message["method"]);
      if (result === undefined) this.#received.push(message);
      else this.write(line({ id: message["id"], result }));
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export function line(message: Message): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** Closes every host that was started. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((wire) => wire.close()));
}
