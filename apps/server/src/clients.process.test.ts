import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folder } from "./run-cli.fixture.ts";
import { cli } from "./command.process.fixture.ts";
import { httpClients } from "./http-clients.process.fixture.ts";
import { startHttp, tokenFile, type HttpServerProcess } from "./http-server.process.fixture.ts";

let token: string | undefined;
let server: HttpServerProcess;

beforeAll(async () => {
  const { file, tokens } = await tokenFile({ ada: [] });
  token = tokens["ada"];
  server = await startHttp(["--tokens", file, "--root", folder({ "hello.txt": "hello from a file" })]);
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

test.concurrent.each(Object.entries(httpClients).filter(([, { unknownTool }]) => unknownTool !== undefined))(
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

const mcporter = fileURLToPath(new URL("../node_modules/mcporter/dist/cli.js", import.meta.url));

/** Another vendor's client, as its users run it. */
async function ask(cwd: string, args: readonly string[]): Promise<string> {
  const server = `${process.execPath} ${cli} --root ${cwd} --log-level silent`;
  const { stdout } = await promisify(execFile)(process.execPath, [mcporter, ...args, "--stdio", server], {
    cwd,
    env: { ...process.env, HOME: cwd },
  });
  return stdout;
}

test("mcporter starts the command, lists the tools and calls one", async () => {
  const cwd = folder({ "hello.txt": "hello from a file" });
  const listed = await ask(cwd, ["list"]);
  for (const name of ["tool_search", "tool_describe", "tool_read", "tool_invoke"]) expect(listed).toContain(name);
  const args = JSON.stringify({ name: "fs_read", args: { path: "hello.txt" } });
  expect(await ask(cwd, ["call", "tool_read", "--args", args])).toContain("hello from a file");
});
