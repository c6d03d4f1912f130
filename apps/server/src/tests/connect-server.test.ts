import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";

test("serves a client over its streams, and ends with its input", async () => {
  const { client, server } = await connectServer(["--root", "."], { cwd: folder({ "a.txt": "hello" }) });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("tool_search");
  const read = await client.callTool({ name: "tool_read", arguments: { name: "fs_read", args: { path: "a.txt" } } });
  expect(read.content).toMatchObject([{ text: expect.stringContaining("hello") }]);
  await client.close();
  expect(await server.ended).toBe(0);
});
