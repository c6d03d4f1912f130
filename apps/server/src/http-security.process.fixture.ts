import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Access, changeTokens, createToken } from "@toolpacks/access";
import { startIssuer, type Issuer } from "@toolpacks/access/fixture";
import { folder } from "./run-cli.fixture.ts";
import { roughPack } from "./rough-pack.fixture.ts";
import { call, withHeaders } from "@toolpacks/host/fixture";
import { startHttp, type HttpServerProcess } from "./http-server.process.fixture.ts";

/** How callers are authenticated. */
export type Way = "a token file" | "OAuth";

/** What each caller may do. With OAuth, it is the client of the same name, and has the scope of this name. */
const accesses = {
  ann: {},
  ben: {},
  reader: { readOnly: true },
  clerk: { facets: ["issues"] },
  rated: { rate: { requests: 5, seconds: 60 } },
} satisfies Record<string, Access>;

export type CallerName = keyof typeof accesses;
const names = Object.keys(accesses) as readonly CallerName[];

/** Address of the server for its clients, and so the audience of access tokens. */
const publicUrl = "https://tools.example.com";
export const resource = `${publicUrl}/mcp`;

/** Limits of the server under test. */
export const limits = { maxCalls: 12, maxStreams: 3 };

/** The built server as a process, with callers who are authenticated in one way. */
export interface Site extends HttpServerProcess {
  readonly way: Way;
  readonly port: number;
  /** The only root. A folder next to it is outside. */
  readonly root: string;
  readonly tokens: Readonly<Record<CallerName, string>>;
  /** The token file. Undefined with OAuth. */
  readonly tokenFile: string | undefined;
  /** Undefined with a token file. */
  readonly issuer: Issuer | undefined;
  /** Everything that the other server behind this one has read: its variables, and each message. */
  readByOtherServer(): string;
  /** Sends a request of a caller. */
  readonly send: (caller: CallerName, request: RequestInit) => Promise<Response>;
  /** Calls a tool. */
  call(caller: CallerName, tool: string, args?: object): Promise<ToolAnswer>;
  /** Highest resident memory so far, in bytes. */
  peakMemory(): number;
}

export interface ToolAnswer {
  readonly status: number;
  readonly isError: boolean;
  /** The text of a result, or the message of an error. */
  readonly text: string;
  /** The structured result. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The whole body. */
  readonly whole: string;
}

/** A server over stdio whose only tool answers with nothing. It writes what it reads to a file. */
const otherServer = `
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const seen = process.argv[2];
appendFileSync(seen, JSON.stringify(process.env) + "\\n");
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "other", version: "1" } },
  "tools/list": { tools: [{ name: "look", description: "Look.", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "looked" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  appendFileSync(seen, line + "\\n");
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method];
  const answer = result === undefined ? { error: { code: -32601, message: "unknown method" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

interface SiteSettings {
  /** Fields of the config file. */
  readonly config?: object;
  /** Fields of its `http` block. */
  readonly http?: object;
}

/** Starts the server, and with OAuth its authorization server. */
export async function openSite(way: Way, settings: SiteSettings = {}): Promise<Site> {
  const directory = folder({ "rough.mjs": roughPack, "other.mjs": otherServer });
  const root = path.join(directory, "root");
  mkdirSync(root);
  const callers = await (way === "OAuth" ? issuedTokens() : fileTokens(directory));
  const seen = path.join(directory, "seen.txt");
  writeFileSync(seen, "");
  const file = path.join(directory, "settings.json");
  const config = {
    surface: "direct",
    roots: [root],
    write: true,
    packs: { "./rough.mjs": {} },
    mcpServers: { other: { command: process.execPath, args: [path.join(directory, "other.mjs"), seen] } },
    ...settings.config,
    http: { publicUrl, ...limits, ...settings.http, ...callers.http },
  };
  writeFileSync(file, JSON.stringify(config));
  // The variable of the test run would decide before the config file.
  const server = await startHttp(["--config", file, "--store", path.join(directory, "store.db")]);
  const { url, pid, output } = server;
  const { tokens, stop } = callers;
  const send: Site["send"] = (caller, request) =>
    fetch(url, withHeaders(request, { authorization: `Bearer ${tokens[caller]}` }));
  return {
    url,
    pid,
    output,
    way,
    port: Number(new URL(url).port),
    root,
    tokens,
    tokenFile: callers.tokenFile,
    issuer: callers.issuer,
    readByOtherServer: () => readFileSync(seen, "utf8"),
    send,
    call: async (caller, tool, args = {}) => readAnswer(await send(caller, call(tool, args))),
    peakMemory: () => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024,
    async close() {
      const code = await server.close();
      stop();
      return code;
    },
    kill: () => server.kill(),
  };
}

interface SiteCallers {
  /** Fields of the `http` block. */
  readonly http: object;
  readonly tokens: Readonly<Record<CallerName, string>>;
  readonly tokenFile?: string;
  readonly issuer?: Issuer;
  readonly stop: () => void;
}

async function fileTokens(directory: string): Promise<SiteCallers> {
  const tokenFile = path.join(directory, "tokens.json");
  const made = names.map((name) => ({ name, token: createToken() }));
  const createdAt = new Date().toISOString();
  const records = made.map(({ name, token: { id, hash } }) => ({ id, name, hash, access: accesses[name], createdAt }));
  await changeTokens(tokenFile, () => records);
  const tokens = Object.fromEntries(made.map(({ name, token }) => [name, token.token])) as SiteCallers["tokens"];
  return { http: { tokens: tokenFile }, tokens, tokenFile, stop: () => {} };
}

async function issuedTokens(): Promise<SiteCallers> {
  const stops: (() => void)[] = [];
  const onEnd = (stop: () => void) => void stops.push(stop);
  const issuer = await startIssuer({ clients: names, scope: names.join(" "), onEnd });
  const issued = names.map(async (name) => [name, await issuer.clientToken(resource, name, name)] as const);
  const tokens = Object.fromEntries(await Promise.all(issued)) as SiteCallers["tokens"];
  const stop = () => stops.forEach((one) => one());
  return { http: { oauth: { issuer: issuer.url, scopes: accesses } }, tokens, issuer, stop };
}

/** Reads the message of a response, which is JSON or an event stream. */
export async function readAnswer(response: Response): Promise<ToolAnswer> {
  const whole = await response.text();
  const { result, error } = parseMessage(whole);
  const text = result?.content?.map((block) => block.text ?? "").join("\n") ?? errorOf(error) ?? "";
  return {
    status: response.status,
    isError: result === undefined || result.isError === true,
    text,
    value: result?.structuredContent ?? {},
    whole,
  };
}

interface Message {
  readonly result?: {
    readonly content?: readonly { readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: Readonly<Record<string, unknown>>;
  };
  /** An object in a message of JSON-RPC, a text in a refusal of credentials. */
  readonly error?: string | { readonly message: string };
}

function parseMessage(body: string): Message {
  const lines = body.split("\n").filter((line) => line.startsWith("data: {"));
  return JSON.parse(body.startsWith("{") ? body : (lines.at(-1)?.slice("data: ".length) ?? "{}")) as Message;
}

function errorOf(error: Message["error"]): string | undefined {
  return typeof error === "object" ? error.message : error;
}
