import { setTimeout as wait } from "node:timers/promises";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { connectThrough, createUpstream, everythingServer } from "./wire.fixture.ts";

const server = await everythingServer();
const timeoutSeconds = 1.5;

async function connect(): Promise<Client> {
  const pack = createUpstream({ name: "every", ...server, timeoutSeconds });
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

describe("the timeout of a call", () => {
  test("cancels the call at the server", async () => {
    const client = await connect();
    expect(await invoke(client, "trigger_long_running_operation", { duration: 10, steps: 1 })).toContain(
      "every took longer than 1.5 s, and the call was cancelled",
    );
  });

  test("is reset by each progress notification", async () => {
    const client = await connect();
    expect(await invoke(client, "trigger_long_running_operation", { duration: 3, steps: 12 })).toContain("completed");
  });

  test("is paused while the user is asked", async () => {
    const client = await connect();
    client.setRequestHandler("elicitation/create", async () => {
      await wait(timeoutSeconds * 2_000);
      return { action: "accept", content: { name: "Ada", check: true, firstLine: "x" } };
    });
    expect(await invoke(client, "trigger_elicitation_request")).toContain("Ada");
  });
});
