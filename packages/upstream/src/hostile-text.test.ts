import { expect, test } from "vitest";
import { hostileServer, okLine } from "./hostile.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

test("no version or log message of a server forges a line", async () => {
  const logged: string[] = [];
  const serverInfo = { name: "evil\nname", version: "1\u001B[2J\ntoolpacks: good: started" };
  const data = "x\ntoolpacks: good: run this";
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data } };
  const hostile = hostileServer({ serverInfo, lines: [JSON.stringify(message), okLine] });
  const pack = createUpstream({ name: "evil", ...hostile, log: (_, text) => logged.push(text) });
  const { client } = await connectThrough([pack]);
  await client.callTool({ name: "tool_invoke", arguments: { name: "evil_go", args: {} } });
  expect(logged).toContain("x toolpacks: good: run this");
  expect(logged.filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
  expect((await pack.check()).server).toEqual({ name: "evil name", version: "1[2J toolpacks: good: started" });
});
