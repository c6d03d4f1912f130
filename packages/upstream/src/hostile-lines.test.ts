import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { ChildTransport } from "./child-transport.ts";
import { hostileServer, okLine } from "./hostile.fixture.ts";
import { parseUpstreamOptions, type LocalPlan } from "./options.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

async function go(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name: "evil_go", args: {} } });
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

describe("a server's line", () => {
  test.each([
    ["an object as id", '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1},"result":{}}'],
    ["a deep list as id", '{"jsonrpc":"2.0","id":$deep,"result":{}}'],
    [
      "an object as progress token",
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{"toString":1,"valueOf":1},"progress":1}}',
    ],
    ["an object as method", '{"jsonrpc":"2.0","method":{"a":1},"id":null,"params":5}'],
  ])("with %s does not end the process, and the call is answered", async (_, line) => {
    const { client } = await connectThrough([
      createUpstream({ name: "evil", ...hostileServer({ lines: [line, okLine] }) }),
    ]);
    expect(await go(client)).toBe("ok");
  });

  const structure = '"content":[{"type":"text","text":"x"}]';
  test.each([
    ["structured content", `"result":{${structure},"structuredContent":{"a":$deep}}`, /256 levels/],
    ["the _meta of a block", '"result":{"content":[{"type":"text","text":"x","_meta":{"a":$deep}}]}', /256 levels/],
    ["the data of an error", '"error":{"code":-32000,"message":"bad","data":$deep}', /256 levels/],
    ["values", `"result":{${structure},"structuredContent":{"a":$values}}`, /1,000,000 values/],
  ])("over the limit of %s fails its call with an error that names the limit", async (_, rest, limit) => {
    const line = `{"jsonrpc":"2.0","id":$id,${rest}}`;
    const pack = createUpstream({ name: "evil", ...hostileServer({ lines: [line] }) });
    const { client } = await connectThrough([pack]);
    const answer = await go(client);
    expect(answer).toMatch(/^too_large: evil: /);
    expect(answer).toMatch(limit);
  });

  test("over a limit is dropped if it is a notification, and refused if it is a request", async () => {
    const lines = [
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":$deep}}',
      '{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"x","requestedSchema":$deep}}',
      okLine,
    ];
    const { client } = await connectThrough([createUpstream({ name: "evil", ...hostileServer({ lines }) })]);
    expect(await go(client)).toBe("ok");
  });

  test("whose handler throws closes its own connection only, and is logged", async () => {
    const logged: string[] = [];
    const plan = parseUpstreamOptions({
      name: "evil",
      ...hostileServer({}),
      log: (_, message) => logged.push(message),
    }) as LocalPlan;
    const transport = new ChildTransport(plan);
    onTestFinished(() => transport.close());
    transport.onmessage = () => {
      throw new Error("boom");
    };
    const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
    await transport.start();
    await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    await closed;
    expect(logged.join("\n")).toContain("a message of the server cannot be handled: boom");
  });
});
