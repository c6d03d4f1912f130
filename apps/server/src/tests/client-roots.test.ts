import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

/** A client of one SDK and protocol, and its roots. */
interface Rooted {
  readonly client: FirstClient | ModernClient;
  readonly names: (...folders: readonly string[]) => Promise<void>;
}

interface Launch {
  readonly cwd?: string;
  readonly flags?: readonly string[];
  readonly folders: readonly string[] | undefined;
}

const info = { name: "test", version: "1.0.0" };
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

const uriOf = (one: string) => ({ uri: one.includes("://") ? one : pathToFileURL(one).href });
const transportOf = ({ cwd = folder(), flags = [] }: Launch) => serverTransport(flags, { cwd });
const capabilitiesOf = ({ folders }: Launch) => ({
  capabilities: folders === undefined ? {} : { roots: { listChanged: true } },
});

async function first(launch: Launch): Promise<Rooted> {
  let { folders = [] } = launch;
  const client = new FirstClient(info, capabilitiesOf(launch));
  if (launch.folders !== undefined)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: folders.map(uriOf) }));
  await client.connect(transportOf(launch));
  open.push(client);
  return { client, names: async (...next) => ((folders = next), client.sendRootsListChanged()) };
}

const second =
  (mode: "legacy" | { pin: "2026-07-28" }) =>
  async (launch: Launch): Promise<Rooted> => {
    let { folders = [] } = launch;
    const client = new ModernClient(info, { ...capabilitiesOf(launch), versionNegotiation: { mode } });
    if (launch.folders !== undefined) client.setRequestHandler("roots/list", () => ({ roots: folders.map(uriOf) }));
    await client.connect(transportOf(launch));
    open.push(client);
    return { client, names: async (...next) => ((folders = next), client.sendRootsListChanged()) };
  };

const read = async ({ client }: Rooted, file: string): Promise<string> => {
  const request = { name: "tool_read", arguments: { name: "fs_read", args: { path: file } } };
  return JSON.stringify((await (client as ModernClient).callTool(request)).content);
};
const noRoot = "no root is given";

const clients = {
  "a 1.x client": first,
  "a 2.x client of protocol 2025-11-25": second("legacy"),
  "a 2.x client of protocol 2026-07-28": second({ pin: "2026-07-28" }),
};

describe.each(Object.entries(clients))("%s", (name, connect) => {
  test("that names a root can read its files at once, and no others", async () => {
    const rooted = await connect({ folders: [folder({ "hello.txt": "hello there" })] });
    expect(await read(rooted, "hello.txt")).toContain("hello there");
    expect(await read(rooted, path.join(folder({ "a.txt": "secret" }), "a.txt"))).not.toContain("secret");
    const { tools } = await (rooted.client as ModernClient).listTools();
    expect(tools.map((tool) => tool.name)).toContain("tool_search");
  });

  test("without the roots capability, or without a root, reads no file", async () => {
    expect(await read(await connect({ folders: undefined }), "hello.txt")).toContain(noRoot);
    expect(await read(await connect({ folders: [] }), "hello.txt")).toContain(noRoot);
  });

  test("cannot add roots to --root", async () => {
    const given = folder({ "given.txt": "given" });
    const named = folder({ "named.txt": "secret" });
    const rooted = await connect({ flags: ["--root", given], folders: [named] });
    expect(await read(rooted, "given.txt")).toContain("given");
    expect(await read(rooted, path.join(named, "named.txt"))).not.toContain("secret");
  });

  test("may name roots only inside the folders of clientRoots", async () => {
    const allowed = folder();
    const outside = folder({ "hello.txt": "outside" });
    mkdirSync(path.join(allowed, "project"));
    writeFileSync(path.join(allowed, "project", "hello.txt"), "inside");
    symlinkSync(outside, path.join(allowed, "link"));
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ clientRoots: [allowed] }) });
    const refusal = `is outside the folders of clientRoots: ${allowed}`;
    for (const named of [outside, path.join(allowed, "link"), path.join(allowed, "..")]) {
      expect(await read(await connect({ cwd, folders: [named] }), "hello.txt")).toContain(refusal);
    }
    expect(await read(await connect({ cwd, folders: [path.join(allowed, "project")] }), "hello.txt")).toContain(
      "inside",
    );
  });

  test("that names no folder gets the reason for the refusal", async () => {
    const rooted = await connect({ folders: ["file:///canary/that/is/not/there"] });
    expect(await read(rooted, "hello.txt")).toContain("is not an existing directory");
  });

  test("that names a root that is not a file: URL is served without this root", async () => {
    const hello = folder({ "hello.txt": "hello there" });
    expect(await read(await connect({ folders: ["https://example.com/"] }), "hello.txt")).toContain(
      "is not a file:// URI",
    );
    for (const folders of [
      ["vscode-remote://host/project", hello],
      [pathToFileURL(hello).href.replace("file:", "FILE:"), "https://example.com/"],
    ]) {
      expect(await read(await connect({ folders }), "hello.txt")).toContain("hello there");
    }
  });

  test("is not asked for roots when clientRoots is false", async () => {
    const cwd = folder({ "toolpacks.config.json": '{ "clientRoots": false }' });
    const rooted = await connect({ cwd, folders: [folder({ "hello.txt": "hello" })] });
    expect(await read(rooted, "hello.txt")).toContain(noRoot);
  });

  test.skipIf(name.includes("2026"))("that changes its roots reads files of the new roots", async () => {
    const rooted = await connect({ folders: [folder({ "one.txt": "first root" })] });
    expect(await read(rooted, "one.txt")).toContain("first root");
    await rooted.names(folder({ "two.txt": "second root" }));
    await expect.poll(() => read(rooted, "two.txt"), { timeout: 5_000 }).toContain("second root");
    expect(await read(rooted, "one.txt")).not.toContain("first root");
  });
});
