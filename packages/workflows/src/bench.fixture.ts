import { EventEmitter, once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client, InMemoryTransport, type ElicitResult } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import {
  createCatalog,
  createDispatcher,
  definePack,
  defineStepType,
  defineTool,
  ToolError,
  type Dispatcher,
  type Interceptor,
  type OwnedStore,
  type Pack,
  type ResultsMode,
  type Rights,
} from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { serveCatalog } from "./serve-catalog.fixture.ts";
import { workflows } from "./workflows.ts";

/** What the test pack's tools did, in order. */
export interface Done {
  readonly calls: string[];
  /** How often `test_flaky` still fails. */
  failures: number;
}

/** Tools of every sort that a step may meet. */
export const testPack = definePack({
  name: "test",
  description: "Tools for tests.",
  budget: 2_000,
  options: z.object({ done: z.custom<Done>() }),
  steps: ({ done }) => [
    defineStepType({
      name: "test_shout",
      description: "Makes a text loud.",
      mutates: false,
      params: z.object({ text: z.string() }),
      run: ({ text }) => ({ text: text.toUpperCase() }),
    }),
    defineStepType({
      name: "test_break_step",
      description: "Breaks.",
      mutates: true,
      params: z.object({}),
      run: () => {
        done.calls.push("test_break_step");
        throw new Error("secret inner detail");
      },
    }),
  ],
  tools: ({ done }) => {
    const waiting = new EventEmitter();
    const tool = (name: string, more: { mutates?: boolean; run: (input: Input, signal: AbortSignal) => unknown }) =>
      defineTool({
        name,
        description: `${name}.`,
        mutates: more.mutates ?? false,
        input: z.object({ value: z.unknown().optional(), ms: z.number().optional() }),
        output: z.looseObject({}),
        handler: async (input, { signal }) => {
          done.calls.push(input.value === undefined ? name : `${name} ${JSON.stringify(input.value)}`);
          return (await more.run(input, signal)) as Record<string, unknown>;
        },
      });
    return [
      tool("test_noop", { run: () => ({ done: true }) }),
      tool("test_echo", { run: ({ value }) => ({ value }) }),
      tool("test_write", { mutates: true, run: ({ value }) => ({ wrote: value ?? null }) }),
      tool("test_stall", { mutates: true, run: (_, signal) => wait(60_000, {}, { signal }) }),
      // Shorter when test_flaky has failed once more.
      tool("test_shrink", { run: () => ({ text: `${done.failures}`.repeat(30_000 + done.failures * 1_200_000) }) }),
      tool("test_range", { run: ({ value }) => ({ items: Array.from({ length: Number(value) }, (_, at) => at) }) }),
      tool("test_big", { run: () => ({ text: "é".repeat(50_000_000) }) }),
      tool("test_long", { run: () => ({ text: `start ${"é\u0000😀".repeat(10_000)} end` }) }),
      tool("test_slow", {
        run: async ({ ms = 5_000 }, signal) => (await wait(ms, undefined, { signal }), { slept: ms }),
      }),
      tool("test_meet", { run: ({ value }, signal) => meet(waiting, Number(value), signal) }),
      tool("test_deaf", { run: async ({ ms = 5_000 }) => (await wait(ms), { slept: ms }) }),
      tool("test_refuse", {
        run: () => {
          throw new ToolError("conflict", "somebody was faster", "Look again.");
        },
      }),
      tool("test_break", {
        run: () => {
          throw new Error("secret inner detail");
        },
      }),
      tool("test_flaky", {
        run: () => {
          if (done.failures > 0) {
            done.failures -= 1;
            throw new ToolError("unavailable", "not now");
          }
          return { done: true };
        },
      }),
    ];
  },
});

/** Resolves when this many calls wait at the same time. */
async function meet(waiting: EventEmitter, wanted: number, signal: AbortSignal): Promise<object> {
  const met = once(waiting, "all", { signal });
  if (waiting.listenerCount("all") === wanted) waiting.emit("all");
  await met;
  return { met: wanted };
}

interface Input {
  readonly value?: unknown;
  readonly ms?: number | undefined;
}

export interface Bench {
  readonly store: OwnedStore;
  readonly dispatcher: Dispatcher;
  readonly client: Client;
  readonly done: Done;
  /** Calls a tool of the catalog through the wire, and answers its structured content or text. */
  readonly call: (name: string, args?: object, options?: CallOptions) => Promise<Answer>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Record<string, unknown> & { steps?: Record<string, unknown>[]; report?: string };
}

export interface BenchOptions {
  readonly interceptors?: readonly Interceptor[];
  readonly rights?: Rights;
  /** Default `both`. */
  readonly results?: ResultsMode;
  readonly definitions?: Parameters<typeof workflows>[0]["definitions"];
  readonly workflows?: Record<string, unknown>;
  readonly store?: OwnedStore;
  readonly more?: readonly Pack[];
  /** Answers the questions that the server asks the client's user. Default: the client cannot be asked. */
  readonly elicit?: (message: string) => Promise<ElicitResult> | ElicitResult;
}

/** A client on a server that lists the tools of the test pack and of the workflows pack. */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const { definitions = {}, workflows: packOptions = {}, more = [], store = emptyStore() } = options;
  const { interceptors = [], rights = {}, results = "both" } = options;
  const done: Done = { calls: [], failures: 0 };
  const pack = workflows({
    store,
    definitions,
    onBug: () => {},
    ...packOptions,
  });
  const packs = [testPack({ done }), ...more, pack];
  const catalog = await createCatalog({ packs }).view(rights);
  const dispatcher = createDispatcher(catalog, { interceptors, onBug: () => {} });
  const server = new McpServer({ name: "test", version: "1.0.0" });
  serveCatalog(server, { catalog, dispatcher, results });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const { elicit } = options;
  const client = new Client(
    { name: "test", version: "1.0.0" },
    elicit && { capabilities: { elicitation: { form: {} } } },
  );
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params.message));
  await client.connect(clientSide);
  return {
    store,
    dispatcher,
    client,
    done,
    async call(name, args = {}, callOptions = {}) {
      const result = await client.callTool({ name, arguments: { ...args } }, { ...callOptions, timeout: 60_000 });
      const content = result.content as { text?: string }[];
      const text = content.map((block) => block.text ?? "").join("\n");
      const value = result.structuredContent ?? result._meta?.["toolpacks/result"] ?? {};
      return { isError: result.isError === true, text, value: value as Answer["value"] };
    },
    async close() {
      await client.close();
      await dispatcher.idle();
      await store.end();
    },
  };
}

export function emptyStore(): OwnedStore {
  return sqlite(path.join(mkdtempSync(path.join(tmpdir(), "workflows-")), "store.db"));
}

/** Everything that is on disk, as text. */
export async function everythingKept(store: OwnedStore): Promise<string> {
  const lines: string[] = [];
  for await (const line of store.export()) lines.push(JSON.stringify(line));
  return lines
    .join("\n")
    .replaceAll(/"bytes":"([^"]*)"/g, (_, bytes: string) => Buffer.from(bytes, "base64").toString());
}
