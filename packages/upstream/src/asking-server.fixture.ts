/** The requests of a server during a call of its tool `go`. */
export interface AskingServer {
  /** The parameters of each `elicitation/create` request. */
  readonly questions?: readonly object[];
  /** Other requests. Default none. */
  readonly requests?: readonly object[];
  /** Whether the call is answered before the user answers. Default false: its result is the JSON of all responses. */
  readonly isHasty?: boolean;
  /** Whether the server withdraws its questions at once. Default false. */
  readonly withdraws?: boolean;
}

const script = `
const { createInterface } = require("node:readline");
const { questions = [], requests = [], isHasty = false, withdraws = false } = JSON.parse(process.argv[1]);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const all = [...questions.map((params) => ({ method: "elicitation/create", params })), ...requests];
const responses = [];
let call;
const answer = (id, value) => send({ id, result: { content: [{ type: "text", text: JSON.stringify(value) }] } });
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  const capabilities = { tools: {} };
  const serverInfo = { name: "asking", version: "1" };
  const tools = ["go", "hang", "responses"].map((name) => ({ name, inputSchema: { type: "object" } }));
  if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call" && params.name === "responses") answer(id, responses);
  else if (method === "tools/call") {
    call = params.name === "hang" ? undefined : id;
    all.forEach((one, at) => send({ id: "q" + at, ...one }));
    if (withdraws) all.forEach((_, at) => send({ method: "notifications/cancelled", params: { requestId: "q" + at } }));
    if (isHasty) setTimeout(() => answer(id, "early"), 100);
  } else if (method === undefined) {
    responses.push(result ?? error);
    if (responses.length === all.length && call !== undefined && !isHasty) answer(call, responses);
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
});`;

/** The command of a server that asks, for the options of an upstream. */
export function askingServer(asking: AskingServer): { readonly command: string; readonly args: string[] } {
  return { command: process.execPath, args: ["-e", script, JSON.stringify(asking)] };
}
