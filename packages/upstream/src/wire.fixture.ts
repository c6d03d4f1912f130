import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport, type ClientOptions, type Transport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Pack } from "@toolpacks/core";
import { attach, mount, type Surface } from "@toolpacks/surface";
import { afterAll, afterEach } from "vitest";
import { upstream, type UpstreamPack } from "./upstream.ts";
import type { UpstreamOptions } from "./options.ts";

const require = createRequire(import.meta.url);
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Creates a folder, which is removed after the tests of the file. */
export function folder(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-upstream-")));
  folders.push(directory);
  return directory;
}

/** The path of an official server's program. */
export function official(name: "everything" | "filesystem" | "memory"): string {
  return require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** The official server "everything" in this process. */
export async function everythingServer(): Promise<{ open: () => Transport }> {
  const program = path.join(path.dirname(official("everything")), "server/index.js");
  const { createServer } = (await import(program)) as {
    createServer: () => { server: { connect: (transport: Transport) => Promise<void> }; cleanup: () => void };
  };
  return {
    open() {
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      const { server, cleanup } = createServer();
      void server.connect(serverSide);
      const close = clientSide.close.bind(clientSide);
      clientSide.close = async () => {
        cleanup();
        await close();
      };
      return clientSide;
    },
  };
}

type Ended = () => Promise<void>;
const toEnd: Ended[] = [];
afterEach(async () => {
  await Promise.all(toEnd.splice(0).map((end) => end()));
});

/** An upstream with its own folders, which is ended after the test. */
export function createUpstream(options: UpstreamOptions): UpstreamPack {
  const pack = upstream({ cacheDirectory: folder(), dataDirectory: folder(), ...options });
  toEnd.push(() => pack.remote.end());
  return pack;
}

/** Connects an SDK client to a server directly. */
export async function connectDirectly(transport: Transport, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  await client.connect(transport);
  toEnd.push(() => client.close());
  return client;
}

interface Connected {
  readonly client: Client;
  readonly surface: Surface;
}

/** A client of a server that mounts packs behind the discovery entries. */
export async function connectThrough(packs: readonly Pack[], options: ClientOptions = {}): Promise<Connected> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  let surface: Surface | undefined;
  const handle = serveStdio(
    async () => {
      const server = new Server({ name: "test", version: "1.0.0" });
      ({ surface } = await mount(server, { packs, listChanged: true }));
      return server;
    },
    { transport: serverSide },
  );
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  await client.connect(clientSide);
  toEnd.push(async () => {
    await client.close();
    await handle.close();
  });
  if (surface === undefined) throw new Error("the server was not asked for");
  return { client, surface };
}

/** The validated credentials of a caller, as a host passes them on. */
export const credentialsOf = (sub: string, token = "") => ({ token, clientId: sub, scopes: [], extra: { sub } });

/** A client of a surface, whose requests carry these credentials. */
export async function connectAs(surface: Surface, authInfo: object, options: ClientOptions = {}): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const server = new Server({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const send = clientSide.send.bind(clientSide);
  clientSide.send = (message, more) => send(message, { ...more, authInfo } as Parameters<typeof send>[1]);
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  await Promise.all([client.connect(clientSide), server.connect(serverSide)]);
  toEnd.push(() => client.close());
  return client;
}
