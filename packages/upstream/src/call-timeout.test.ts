import { setTimeout as wait } from "node:timers/promises";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { connectThrough, createUpstream, official } from "./wire.fixture.ts";

const timeoutSeconds = 1.5;

async function connect(): Promise<Client> {
  const args = [official("everything")];
  const pack = createUpstream({ name: "every", command: process.execPath, args, timeoutSeconds });
  const { client } = await connectThrough([pack], { capabilities: { elicitation: { form: {} } } });
  // The server starts here, so that the calls of the tests are alone in their time.
  await invoke(client, "echo", { message: "hello" });
  return client;
}

async function invoke(client: Client, tool: string, args: object = {}): Promise<string> {
  const call = { name: "tool_invoke", arguments: { name: `every_${tool}`, args } };
  const { content }: CallToolResult = await client.callTool(call);
  return JSON.stringify(content);
}

/** Calls that take the time of several timeouts. They run at the same time, each with a server of its own. */
test("the timeout of a call cancels the call at the server, is reset by progress, and is paused while the user is asked", async () => {
  const [slow, reporting, asking] = await Promise.all([connect(), connect(), connect()]);
  asking.setRequestHandler("elicitation/create", async () => {
    await wait(timeoutSeconds * 2_000);
    return { action: "accept", content: { name: "Ada", check: true, firstLine: "x" } };
  });
  const answers = await Promise.all([
    invoke(slow, "trigger_long_running_operation", { duration: 10, steps: 1 }),
    invoke(reporting, "trigger_long_running_operation", { duration: 3, steps: 12 }),
    invoke(asking, "trigger_elicitation_request"),
  ]);
  expect(answers).toEqual([
    expect.stringContaining("every took longer than 1.5 s, and the call was cancelled"),
    expect.stringContaining("completed"),
    expect.stringContaining("Ada"),
  ]);
});
