import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { definePack, defineTool, errorText, type PackLog, type Rights } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import { z } from "zod";
import type { HttpHostOptions, HttpObservability, HttpSettings } from "./http-host-options.ts";
import type { SurfaceFor } from "../served-surface.ts";
import { SurfaceHolder } from "../surface-holder.ts";
import { serveHttp } from "../serve-http.ts";

/** Records of the calls to the tools of `samplePack`. */
export const seen = { started: [] as string[], stopped: [] as string[], reported: 0 };

/** An observability that counts nothing. */
export function fakeObservability(own: Partial<HttpObservability> = {}): HttpObservability {
  const metrics = async () => ({ contentType: "text/plain", body: "calls 1" });
  return { onResponse: () => {}, onRefusal: () => {}, onStream: () => () => {}, metrics, ...own };
}

const text = z.object({ text: z.string() });

const flood = defineTool({
  name: "flood",
  description: "Report progress without a pause, and without waiting for it.",
  mutates: false,
  input: z.object({ steps: z.int() }),
  output: text,
  handler: async ({ steps }, { progress, signal }) => {
    for (let at = 1; at <= steps && !signal.aborted; at += 1) {
      void progress(at, steps, "x".repeat(10_000));
      seen.reported = at;
      await new Promise(setImmediate);
    }
    if (signal.aborted) seen.stopped.push("flood");
    return { text: "done" };
  },
});

/** Tools of each sort: one that answers, one that waits, one that asks, one that reports progress without a pause. */
export const samplePack = (more: readonly string[] = []) =>
  definePack({
    name: "sample",
    description: "Tools of each sort.",
    budget: 800,
    tools: () => [
      defineTool({
        name: "echo",
        description: "Repeat a text, with what the tool sees of its caller.",
        mutates: false,
        input: text,
        output: z.object({ text: z.string(), client: z.string(), token: z.string(), header: z.string() }),
        handler: ({ text: repeated }, { auth, header }) => {
          const { clientId = "", token = "none" } = (auth ?? {}) as { clientId?: string; token?: string };
          return { text: repeated, client: clientId, token, header: header?.("authorization") ?? "none" };
        },
      }),
      defineTool({
        name: "wait",
        description: "Wait for a time in ms.",
        mutates: false,
        input: z.object({ name: z.string(), ms: z.int() }),
        output: text,
        handler: async ({ name, ms }, { signal }) => {
          seen.started.push(name);
          await delay(ms, undefined, { signal }).catch(() => seen.stopped.push(name));
          return { text: name };
        },
      }),
      defineTool({
        name: "ask",
        description: "Ask the user.",
        mutates: false,
        input: z.object({}),
        output: text,
        handler: async (_, { elicit }) => ({
          text:
            (await elicit?.({ message: "Who?", requestedSchema: { type: "object", properties: {} } }))?.action ??
            "absent",
        }),
      }),
      flood,
      ...more.map((name) =>
        defineTool({
          name,
          description: `Be ${name}.`,
          mutates: false,
          input: z.object({}),
          output: text,
          handler: () => ({ text: name }),
        }),
      ),
    ],
  });

export const makeSurface = (more: readonly string[] = [], rights: Rights = {}): Promise<Surface> =>
  createSurface({ packs: [samplePack(more)()], surface: "direct", rights, onBug: () => {} });

/** A log whose lines a test can read. */
export function testLog(): PackLog & { readonly lines: string[] } {
  const lines: string[] = [];
  const write = (message: string, cause?: unknown) =>
    void lines.push(`${message}${cause === undefined ? "" : ` ${errorText(cause)}`}`);
  return { lines, error: write, warn: write, info: write, debug: write };
}

const settings: HttpSettings = {
  host: "127.0.0.1",
  port: 0,
  path: "/mcp",
  allowedHosts: [],
  maxBodyBytes: 100_000,
  maxStreams: 4,
  maxCalls: 8,
};

export interface TestHostOptions extends Omit<Partial<HttpHostOptions>, "settings"> {
  readonly settings?: Partial<HttpSettings>;
  readonly surfaceFor?: SurfaceFor;
}

const running: { close(): Promise<void> }[] = [];

/** Starts a host on a free port. */
export async function startHost({ surfaceFor, ...options }: TestHostOptions = {}) {
  const log = testLog();
  const surface = new SurfaceHolder(await makeSurface(), { mayChange: true });
  const started = await serveHttp(surfaceFor ?? (async () => surface), {
    info: { name: "toolpacks", version: "1.0.0" },
    log,
    readiness: { problem: async () => undefined },
    authenticator: undefined,
    ...options,
    settings: { ...settings, ...options.settings },
  });
  running.push(started);
  const { url, ended } = started;
  const close = () => started.close();
  const { port } = new URL(url);
  return {
    url,
    origin: `http://127.0.0.1:${port}`,
    port: Number(port),
    log: log.lines,
    replace: (next: Surface) => surface.replace(next),
    close,
    ended,
  };
}

/** Closes the hosts of a test. */
export async function closeHosts(): Promise<void> {
  await Promise.all(running.splice(0).map((host) => host.close()));
}

/** Headers of a message of a 2025 client. */
export const messageHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

export const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** A request of a 2026 client. */
export function modernRequest(method: string, params: Readonly<Record<string, unknown>>, id: unknown = 1): RequestInit {
  const name = params["name"];
  return {
    method: "POST",
    headers: {
      ...messageHeaders,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: envelope } }),
  };
}

export function call(name: string, args: object, id: unknown = 1): RequestInit {
  return modernRequest("tools/call", { name, arguments: args }, id);
}

/** A call with other headers. */
export function withHeaders(request: RequestInit, headers: Readonly<Record<string, string>>): RequestInit {
  return { ...request, headers: { ...(request.headers as Record<string, string>), ...headers } };
}

/** A connection that writes and reads raw text. */
export async function rawConnection(
  port: number,
): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString()));
  socket.on("error", () => {});
  // A write after the server has closed the connection causes an error, which says nothing more.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await once(socket, "connect");
  return { socket, text: () => received, closed };
}

/** Sends raw text and resolves to the response after the server has closed the connection. */
export async function exchange(port: number, head: readonly string[], body = ""): Promise<string> {
  const { socket, text, closed } = await rawConnection(port);
  socket.write(`${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${body}`);
  await closed;
  return text();
}
