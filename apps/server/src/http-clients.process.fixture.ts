import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { folder } from "./run-cli.fixture.ts";

/** A connected client. Each method resolves to what the client shows, and rejects with what it shows of a failed connection. */
export interface HttpClient {
  list(): Promise<string>;
  call(name: string, args: object): Promise<string>;
  close(): Promise<void>;
}

interface Server {
  readonly url: string;
  readonly token: string | undefined;
}

interface ClientUnderTest {
  /** Whether each question is a process. */
  readonly isProgram?: true;
  readonly connect: (server: Server) => Promise<HttpClient>;
  /** What the client shows of a tool that does not exist. Undefined: not tested, because it is shown as in the other protocol. */
  readonly unknownTool: string | undefined;
  /** What the client shows of a response with status 401. */
  readonly unauthorized: string;
}

type Listed = Promise<{ readonly tools: readonly { readonly name: string }[] }>;
type Args = Record<string, unknown>;

/** A client library. */
interface Library {
  listTools(): Listed;
  callTool(call: { name: string; arguments: Args }): Promise<unknown>;
  close(): Promise<void>;
}

function libraryClient(library: Library): HttpClient {
  return {
    list: async () => (await library.listTools()).tools.map(({ name }) => name).join(" "),
    call: async (name, args) => JSON.stringify(await library.callTool({ name, arguments: { ...args } })),
    close: () => library.close(),
  };
}

function headers(token: string | undefined): { readonly headers?: Record<string, string> } {
  return token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
}

const identity = { name: "test", version: "1.0.0" };
const unknownTool = 'no tool is named \\"no_such_tool\\"';

function sdk2(unauthorized: string, options: ClientOptions = {}): ClientUnderTest {
  return {
    unknownTool,
    unauthorized,
    async connect({ url, token }) {
      const client = new Client(identity, options);
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: headers(token) }));
      return libraryClient(client);
    },
  };
}

const sdk1: ClientUnderTest = {
  unknownTool,
  unauthorized: "Streamable HTTP error: Error POSTing to endpoint",
  async connect({ url, token }) {
    const client = new FirstClient(identity);
    const transport = new FirstTransport(new URL(url), { requestInit: headers(token) });
    await client.connect(transport);
    return libraryClient(client);
  },
};

const aiSdk: ClientUnderTest = {
  unknownTool,
  unauthorized: "HTTP 401",
  async connect({ url, token }) {
    return libraryClient(await createMCPClient({ transport: { type: "http", url, ...headers(token) } }));
  },
};

const inspectorFile = new URL(
  "../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
  import.meta.url,
);
const mcporterFile = new URL("../node_modules/mcporter/dist/cli.js", import.meta.url);

/** Runs a command-line client. Resolves to what it prints, whatever its exit code. */
function shown(file: URL, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, HOME: cwd, MCP_INSPECTOR_SECRET_STORE: "memory" };
  return new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(file), ...args], { cwd, env, timeout: 50_000 }, (_, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

/** A config file with the server under the name `shared`. */
function configFile(entry: object): { readonly cwd: string; readonly file: string } {
  const cwd = folder();
  const file = path.join(cwd, "clients.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { shared: entry } }));
  return { cwd, file };
}

function inspector(protocolEra: "legacy" | "modern"): ClientUnderTest {
  return {
    isProgram: true,
    unknownTool: protocolEra === "legacy" ? "Tool 'no_such_tool' not found on server" : undefined,
    unauthorized: '"code":"auth_required"',
    async connect({ url, token }) {
      const { cwd, file } = configFile({ type: "streamable-http", url, protocolEra, ...headers(token) });
      const common = ["--cli", "--config", file, "--server", "shared", "--stored-auth-only", "--method"];
      const ask = (...args: string[]) => shown(inspectorFile, [...common, ...args], cwd);
      return {
        list: () => ask("tools/list"),
        call(name, args) {
          const pairs = Object.entries(args).map(
            ([field, value]) => `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`,
          );
          const fields = pairs.flatMap((pair) => ["--tool-arg", pair]);
          return ask("tools/call", "--tool-name", name, ...fields);
        },
        close: async () => {},
      };
    },
  };
}

const mcporter: ClientUnderTest = {
  isProgram: true,
  unknownTool: 'no tool is named "no_such_tool"',
  unauthorized: `"statusCode": 401`,
  async connect({ url, token }) {
    const { cwd, file } = configFile({ baseUrl: url, allowHttp: true, ...headers(token) });
    const ask = (...args: string[]) => shown(mcporterFile, ["--config", file, ...args], cwd);
    return {
      list: () => ask("list", "shared", "--json"),
      call: (name, args) => ask("call", `shared.${name}`, "--args", JSON.stringify(args)),
      close: async () => {},
    };
  },
};

/** Clients of several vendors, and of both protocol eras. */
export const httpClients: Readonly<Record<string, ClientUnderTest>> = {
  "@modelcontextprotocol/client, protocol 2025-11-25": sdk2("Error POSTing to endpoint"),
  "@modelcontextprotocol/client, protocol 2026-07-28": sdk2("the server requires authorization (HTTP 401)", {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  }),
  "@modelcontextprotocol/sdk 1.x": sdk1,
  "@ai-sdk/mcp": aiSdk,
  "Inspector, protocol 2025-11-25": inspector("legacy"),
  "Inspector, protocol 2026-07-28": inspector("modern"),
  mcporter,
};
