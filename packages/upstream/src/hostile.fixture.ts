/**
 * The messages of a hostile server. In a line, `$id` and `$token` stand for the id and the progress token of the call, `$deep` for a list
 * nested 300,000 levels deep, `$values` for a list of a million objects.
 */
export interface HostileServer {
  readonly tools?: readonly unknown[];
  readonly prompts?: readonly unknown[];
  readonly resources?: readonly unknown[];
  readonly resourceTemplates?: readonly unknown[];
  readonly serverInfo?: object;
  readonly instructions?: string;
  /** Written to stdout unchanged when a tool is called. */
  readonly lines?: readonly string[];
}

/** Answers the call. */
export const okLine = '{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"ok"}]}}';

const script = `
const { createInterface } = require("node:readline");
const hostile = JSON.parse(process.argv[1]);
const deep = "[".repeat(300_000) + "]".repeat(300_000);
const values = "[" + "{},".repeat(1_000_000) + "{}]";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const { serverInfo = { name: "hostile", version: "1" }, lines = [], instructions, ...lists } = hostile;
lists.tools ??= [{ name: "go", inputSchema: { type: "object" } }];
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const list = /^(tools|prompts|resources)\\/(templates\\/)?list$/.exec(method ?? "");
  const key = list?.[2] === undefined ? list?.[1] : "resourceTemplates";
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo, instructions } });
  else if (list !== null) send({ id, result: { [key]: lists[key] ?? [] } });
  else if (method === "tools/call") {
    const token = JSON.stringify(params._meta?.progressToken);
    const fill = (text) => text.replaceAll("$id", id).replaceAll("$token", token).replaceAll("$deep", deep).replaceAll("$values", values);
    for (const one of lines) process.stdout.write(fill(one) + "\\n");
  } else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
});`;

/** The command of a hostile server, for the options of an upstream. */
export function hostileServer(hostile: HostileServer): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: ["-e", script, JSON.stringify(hostile)] };
}
