import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { principalOf } from "@toolpacks/core";
import type { SurfaceWatcher } from "@toolpacks/host";
import { surfaceMethods } from "@toolpacks/surface";
import { type Access, unionAccess } from "@toolpacks/access";
import type { Flags } from "../config/settings.ts";
import { LiveRuntime } from "../live-runtime.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { testIo } from "../run-cli.fixture.ts";

/** A server for many principals, in this process. A new `Server` serves each request, as over HTTP. */
export interface PrincipalServer {
  readonly live: LiveRuntime;
  /** The newest runtime. */
  runtime(): Runtime;
  /** What the server has logged. */
  log(): string;
  /** Connects a client whose requests carry this principal. */
  connect(name: string, access: TestAccess): Promise<Caller>;
  close(): Promise<void>;
}

export interface Caller {
  readonly client: Client;
  readonly instructions: string;
  /** Names of changed lists that the client was notified of. */
  readonly changes: readonly string[];
  /** Calls a tool, and resolves to its text. */
  text(tool: string, args?: object): Promise<string>;
  /** Calls a tool with `tool_invoke`. */
  invoke(name: string, args?: object): Promise<string>;
}

/** The access of a token, or of each scope of a token. Undefined: everything. */
export type TestAccess = Access | readonly Access[] | undefined;

/** The principal of a subject, and what the SDK passes to packs about it. */
export function principalNamed(sub: string, granted: TestAccess) {
  const access = granted && unionAccess([granted].flat());
  const auth = { token: "", clientId: sub, scopes: [], extra: { iss: "test", sub } };
  return { auth, principal: { id: access === undefined ? "" : principalOf(auth), access } };
}

/** @param flags the config file and the store, among others */
export async function servePrincipals(folder: string, flags: Flags = {}): Promise<PrincipalServer> {
  const all: Flags = { logLevel: "silent", store: path.join(folder, "store.db"), ...flags };
  const { io, output } = testIo();
  let newest = await createRuntime(all, { io });
  const create = async () => (newest = await createRuntime(all, { io }));
  const live = new LiveRuntime(newest, { create, hasOneClient: false });
  const closing: (() => Promise<void>)[] = [];
  return {
    live,
    runtime: () => newest,
    log: output.stderr,
    async connect(name, access) {
      const { auth, principal } = principalNamed(name, access);
      const served = await live.surfaceFor(principal);
      const methods = surfaceMethods(served.current, { listChanged: served.mayChange ?? false });
      const handler = createMcpHandler(() => {
        const { instructions } = served.current;
        const server = new Server({ name: "test", version: "1" }, { instructions, capabilities: methods.capabilities });
        methods.register(server);
        return server;
      });
      const changes: string[] = [];
      const watcher: SurfaceWatcher = {
        async replace(next) {
          const changed = Object.entries(await methods.replace(next)).filter(([, isChanged]) => isChanged);
          changes.push(...changed.map(([name]) => name));
        },
      };
      const stops = [served.watch?.(watcher), served.use?.()];
      const fetch = (url: string | URL, init?: RequestInit) =>
        handler.fetch(new Request(url, init), access === undefined ? {} : { authInfo: auth });
      const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
      await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
      closing.push(async () => {
        for (const stop of stops) stop?.();
        await client.close();
        await handler.close();
      });
      const text: Caller["text"] = async (tool, args = {}) => {
        const { content } = await client.callTool({ name: tool, arguments: { ...args } });
        return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
      };
      const invoke: Caller["invoke"] = (tool, args = {}) => text("tool_invoke", { name: tool, args });
      return { client, instructions: client.getInstructions() ?? "", changes, text, invoke };
    },
    async close() {
      await Promise.all(closing.map((close) => close()));
      await live.finish(5_000);
    },
  };
}
