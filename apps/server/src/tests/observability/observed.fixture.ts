import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, Server, type AuthInfo } from "@modelcontextprotocol/server";
import { attach } from "@toolpacks/surface";
import { openObservability, type Observability } from "@toolpacks/telemetry";
import { onTestFinished } from "vitest";
import { folder, testIo } from "../../run-cli.fixture.ts";
import type { Flags } from "../../config/settings.ts";
import { createRuntime, type Runtime } from "../../mount/runtime.ts";

/** A pack in plain JavaScript whose tools repeat their arguments. */
export const canaryPack = `
const tool = (name, run) => ({
  name, description: name.replaceAll("_", " ") + ".", mutates: false, effects: {}, keywords: [], examples: [], aliases: [name + "_old"], media: false,
  input: {
    json: () => ({ type: "object" }), full: () => ({ type: "object" }),
    check: (value) => value.wrong === undefined ? { ok: true, value } : { ok: false, message: "wrong: received " + value.wrong },
  },
  run, render: JSON.stringify,
});
const tools = [
  tool("canary_echo", (given) => given),
  tool("canary_fail", ({ text }) => {
    const error = new Error("text: " + text);
    Object.defineProperty(error, Symbol.for("toolpacks.ToolError"), { value: true });
    throw Object.assign(error, { code: text.startsWith("code") ? text : "conflict", hint: text });
  }),
  tool("canary_bug", () => { throw new Error("a bug"); }),
];
const step = {
  name: "canary_step", description: "Throws a bug.", mutates: false, params: tools[0].input, run: () => { throw new Error("a bug of a step"); },
};
export default () => ({ name: "canary", steps: async () => [step], description: "Repeats.", budget: 500, kinds: [], withheld: [], tools: async () => tools, registerWith: async () => {} });
`;

interface ObservedOptions {
  readonly flags?: Flags;
  /** More of the config file. */
  readonly config?: object;
  readonly isHttp?: boolean;
  readonly authInfo?: AuthInfo;
  readonly era?: "2025" | "2026-07-28";
}

export interface Observed {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly observability: Observability;
  /** Everything that was written to the log. */
  readonly log: () => string;
  /** The lines of calls. */
  readonly calls: () => readonly Readonly<Record<string, unknown>>[];
}

/** Serves a runtime with the canary pack over the SDK's HTTP handler to a client, without a network. */
export async function serveObserved(options: ObservedOptions = {}): Promise<Observed> {
  const { flags = {}, config = {}, isHttp = true, authInfo, era = "2025" } = options;
  const directory = folder({
    "canary.mjs": canaryPack,
    "toolpacks.config.json": JSON.stringify({ packs: { "./canary.mjs": true }, ...config }),
  });
  let log = "";
  const output = { write: (line: string) => (log += line) };
  const observability = await openObservability({ version: "1", isHttp, output });
  if (observability === undefined) throw new Error("there is nothing to observe");
  const runtime = await createRuntime(
    { config: path.join(directory, "toolpacks.config.json"), store: path.join(directory, "store.db"), ...flags },
    { io: testIo().io, observability },
  );
  onTestFinished(() => runtime.finish());
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "observed", version: "1" });
    attach(server, runtime.surface);
    return server;
  });
  const client = new Client(
    { name: "test", version: "1" },
    era === "2025" ? {} : { versionNegotiation: { mode: { pin: era } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => handler.fetch(new Request(url, init), authInfo === undefined ? {} : { authInfo }),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const lines = () =>
    log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
  return { client, runtime, observability, log: () => log, calls: () => lines().filter(({ msg }) => msg === "call") };
}
