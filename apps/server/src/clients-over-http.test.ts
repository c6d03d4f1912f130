import { filesystem } from "@toolpacks/filesystem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folder } from "./command.fixture.ts";
import { httpClients } from "./http-clients.fixture.ts";
import { serveHttp, type HttpServer } from "./http-server.fixture.ts";

const token = "tp_a-token-of-this-test";

/** Starts the server that the clients call. */
function startServer(): Promise<HttpServer> {
  const root = folder({ "hello.txt": "hello from a file" });
  return serveHttp({ packs: [filesystem({ roots: [root] })], surface: "discovery", token });
}

let server: HttpServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

test.concurrent.each(Object.entries(httpClients))(
  "%s lists the tools, finds one and calls it",
  async (_, { connect }) => {
    const client = await connect({ url: server.url, token });
    const [listed, found, result] = await Promise.all([
      client.list(),
      client.call("tool_search", { query: "read a text file" }),
      client.call("tool_read", { name: "fs_read", args: { path: "hello.txt" } }),
    ]);
    for (const name of ["tool_search", "tool_describe", "tool_read", "tool_invoke"]) expect(listed).toContain(name);
    expect(found).toContain("fs_read");
    expect(result).toContain("hello from a file");
    await client.close();
  },
);

test.concurrent.each(Object.entries(httpClients))(
  "%s shows that a tool does not exist",
  async (_, { connect, unknownTool }) => {
    const client = await connect({ url: server.url, token });
    expect(await client.call("no_such_tool", {})).toContain(unknownTool);
    await client.close();
  },
);

test.concurrent.each(Object.entries(httpClients))(
  "%s shows that a token is required",
  async (_, { connect, unauthorized }) => {
    const shown = await connect({ url: server.url, token: undefined })
      .then((client) => client.list())
      .catch((error: unknown) => String(error));
    expect(shown).toContain(unauthorized);
  },
);
