import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, test } from "vitest";
import { SurfaceHolder } from "../surface-holder.ts";
import { closeHosts, makeSurface, startHost } from "./http-host.fixture.ts";

const info = { name: "test", version: "1.0.0" };
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((client) => client.close()));
  await closeHosts();
});

const pinned = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

const clients = {
  "a 1.x client": async (url: string) => {
    const client = new FirstClient(info, { capabilities: { elicitation: {} } });
    await client.connect(new FirstTransport(new URL(url)));
    closing.push(client);
    return client;
  },
  "a 2.x client of protocol 2025-11-25": (url: string) => connect(url, {}),
  "a 2.x client pinned to protocol 2026-07-28": (url: string) => connect(url, pinned),
  "a 2.x client that negotiates": (url: string) => connect(url, { versionNegotiation: { mode: "auto" } }),
};

async function connect(url: string, options: ConstructorParameters<typeof Client>[1]): Promise<Client> {
  const client = new Client(info, { capabilities: { elicitation: { form: {} } }, ...options });
  client.setRequestHandler("elicitation/create", async () => ({ action: "decline" }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  closing.push(client);
  return client;
}

describe.each(Object.entries(clients))("%s", (name, connectTo) => {
  test("lists and calls tools, with progress", async () => {
    const { url } = await startHost();
    const client = await connectTo(url);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("echo");
    const result = await client.callTool({ name: "echo", arguments: { text: "hello" } });
    expect(result.structuredContent).toMatchObject({ text: "hello" });
    const steps: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) };
    // The second parameter of 1.x is a schema.
    const params = { name: "flood", arguments: { steps: 3 } };
    if (client instanceof FirstClient) await client.callTool(params, undefined, options);
    else await client.callTool(params, options);
    expect(steps.at(0)).toBe(1);
  });

  test("is asked only if it can answer: a 2025 client without a session cannot", async () => {
    const { url } = await startHost();
    const client = await connectTo(url);
    const { structuredContent } = await client.callTool({ name: "ask", arguments: {} });
    const isModern = name.includes("2026") || name.includes("negotiates");
    expect(structuredContent).toEqual({ text: isModern ? "decline" : "absent" });
  });
});

test("a changed list is announced to the subscribers of its principal, and to no other", async () => {
  const surfaces = [
    new SurfaceHolder(await makeSurface(), { mayChange: true }),
    new SurfaceHolder(await makeSurface(), { mayChange: true }),
  ];
  const names = ["ann", "bob"];
  const authenticator = {
    authenticate: async ({ authorization }: NodeJS.Dict<string | string[]>) => ({
      principal: { id: [authorization].flat()[0] ?? "", access: { grants: [{}] } },
      auth: undefined,
    }),
    watch: () => () => {},
    close: async () => {},
  };
  const surfaceFor = async ({ id }: { id: string }) => {
    const found = surfaces[names.indexOf(id)];
    if (found === undefined) throw new Error("unknown");
    return found;
  };
  const { url } = await startHost({ authenticator, surfaceFor });
  const lists: Record<string, string[][]> = { ann: [], bob: [] };
  for (const name of names) {
    const onChanged = (_: unknown, tools: readonly { name: string }[] | null) =>
      void lists[name]?.push((tools ?? []).map((tool) => tool.name));
    const client = new Client(info, { ...pinned, listChanged: { tools: { onChanged } } });
    const requestInit = { headers: { authorization: name } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    closing.push(client);
    await client.listTools();
  }
  await surfaces[0]?.replace(await makeSurface(["happy"]));
  await expect.poll(() => lists["ann"]?.at(-1)).toContain("happy");
  await surfaces[1]?.replace(await makeSurface(["quick"]));
  await expect.poll(() => lists["bob"]?.at(-1)).toContain("quick");
  expect(lists["bob"]).toHaveLength(1);
  expect(lists["ann"]).toHaveLength(1);
});
