import { setTimeout as wait } from "node:timers/promises";
import { inMemory, type InMemory, type Instance, type Message } from "./in-memory.fixture.ts";

/** What a test changes of a running server. It is read at each list. */
export interface RoughChanges {
  tools?: readonly object[];
  description?: string;
  prompt?: string;
  /** `never`: lists of tools are not answered. */
  list?: "never";
}

export type Manner =
  | "plain"
  | "many"
  | "endless"
  | "circle"
  | "nonsense"
  | "silent"
  | "slow"
  | "text_ids"
  | "leaving"
  | "abrupt"
  | "broken"
  | "stubborn";

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const names = ["say", "die", "hang", "flood", "junk", "big", "big_last", "fork", "wait", "fail"];

function listTools(manner: Manner, changes: RoughChanges, cursor = "0"): object {
  const { description = "Says a text.", tools } = changes;
  const schema = { type: "object", properties: { text: { type: "string" } } };
  const tool = (name: string, more: object = {}) => ({ name, description, inputSchema: schema, ...more });
  if (tools !== undefined) return { tools };
  if (manner === "many") return { tools: Array.from({ length: 5_000 }, (_, at) => tool(`tool_${at}`)) };
  if (manner === "endless") return { tools: [tool(`tool_${cursor}`)], nextCursor: String(Number(cursor) + 1) };
  if (manner === "circle") return { tools: [tool("one")], nextCursor: "again" };
  if (manner === "nonsense") return { tools: [{ name: 7 }, "no tool", tool("say", { outputSchema: 5 })] };
  const intent = tool("plan", {
    inputSchema: { type: "object", properties: { goal: { type: "string" } }, required: ["goal"] },
  });
  const look = tool("look", { annotations: { readOnlyHint: true } });
  const offered = manner === "leaving" ? [...names, "desert", "last"] : names;
  return { tools: [...offered.map((name) => tool(name)), intent, look] };
}

interface Rough {
  readonly manner: Manner;
  /** Read at each list. */
  readonly changes: () => RoughChanges;
  readonly instance: Pick<Instance, "send" | "end">;
  /** What most tools answer, with their arguments. */
  readonly answer: object;
}

/** Handles the messages of one connection of a server that misbehaves as its manner says, and its tools as their names. */
export function roughHandler({ manner, changes, instance, answer }: Rough): (message: Message) => void {
  const { send, end } = instance;
  let atOnce = 0;
  let maxAtOnce = 0;
  const call = async ({ id, params }: Message) => {
    const { name, arguments: args = {} } = params ?? {};
    if (manner === "text_ids") {
      const progressToken = String(params?._meta?.progressToken);
      send({ method: "notifications/progress", params: { progressToken, progress: 1 } });
      return send({ id: String(id), result: text("answered") });
    }
    if (name === "die") return end();
    if (name === "hang") return;
    if (name === "fail") return send({ id, error: { code: -32_000, message: "the disk is full" } });
    if (name !== "wait") return send({ id, result: text(JSON.stringify({ ...answer, ...args })) });
    atOnce += 1;
    maxAtOnce = Math.max(maxAtOnce, atOnce);
    await wait(100);
    atOnce -= 1;
    send({ id, result: text(String(maxAtOnce)) });
  };
  const handle = (message: Message) => {
    const { id, method, params } = message;
    if (method === "initialize") {
      const prompts = changes().prompt === undefined ? {} : { prompts: {} };
      const capabilities = { tools: { listChanged: true }, ...prompts };
      send({
        id,
        result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "rough", version: "1" } },
      });
    } else if (method === "tools/list") {
      if (changes().list !== "never") send({ id, result: listTools(manner, changes(), params?.cursor) });
    } else if (method === "prompts/list") {
      send({ id, result: { prompts: [{ name: "brief", description: changes().prompt }] } });
    } else if (method === "prompts/get") {
      send({ id, result: { messages: [{ role: "user", content: { type: "text", text: "Be brief." } }] } });
    } else if (method === "tools/call") void call(message);
    else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
  };
  if (manner === "silent") return () => {};
  return manner === "slow" ? (message) => void setTimeout(() => handle(message), 300) : handle;
}

/** A rough server in this process, for the options of an upstream. */
export function roughServer(manner: Manner = "plain", changes: RoughChanges = {}): InMemory {
  return inMemory((instance) =>
    roughHandler({ manner, changes: () => changes, instance, answer: { instance: instance.id } }),
  );
}
