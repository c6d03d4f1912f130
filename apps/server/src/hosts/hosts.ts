import type { Store } from "@toolpacks/core";
import { ConfigurationError } from "@toolpacks/core";
import { localPrincipal, serveStdio, type HttpObservability, type RunningHost, type SurfaceFor } from "@toolpacks/host";
import { Option } from "commander";
import type { Readable, Writable } from "node:stream";
import type { Flags, Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";
import { version } from "../version.ts";

/** Serves surfaces to MCP clients over one transport. */
export interface Host {
  /** Whether the host serves one client. Only then may the client's roots replace what is served. */
  readonly hasOneClient: boolean;
  /** Starts to serve. Resolves when clients can connect. */
  start(surfaceFor: SurfaceFor): Promise<RunningHost>;
  /** Gets the settings of each later runtime. A host reads its own settings at the start only. */
  onSettings?(settings: Settings): void;
}

/** The flags of `serve`, those of the hosts included. */
export type ServeFlags = Flags & Readonly<Record<string, unknown>>;

export interface HostContext {
  readonly flags: ServeFlags;
  readonly settings: Settings;
  /** The store of the current runtime, with all workspaces. A reload replaces it. */
  readonly currentStore: () => Store;
  readonly log: Log;
  /** What an HTTP host counts, and the metrics that it serves. Undefined on stdio. */
  readonly observability: HttpObservability | undefined;
  readonly stdin: Readable;
  /** The real stdout, since `process.stdout` writes to stderr. */
  readonly stdout: Writable;
}

export type OpenHost = (context: HostContext) => Host | Promise<Host>;

interface HostEntry {
  /** Flags that this host adds to `serve`. */
  readonly options: readonly Option[];
  /** Whether the flags select this host. The first selected host of the table serves. */
  isSelected(flags: ServeFlags): boolean;
  readonly open: OpenHost;
}

/**
 * The hosts of `serve`. A new host is a file in this folder and an entry here, before stdio. Its entry loads the file with `import()`, so that a start on
 * stdio does not.
 */
export const hosts: readonly HostEntry[] = [
  {
    options: [
      new Option("--http", "serve many clients over Streamable HTTP"),
      new Option("--host <address>", "address to listen on with --http (default: 127.0.0.1)"),
      new Option("--port <number>", "port to listen on with --http; 0 chooses a free one (default: 3333)"),
      new Option("--path <path>", "path of the MCP endpoint with --http (default: /mcp)"),
      new Option("--tokens <file>", "file with the tokens of callers, for --http (default: none)"),
    ],
    isSelected: (flags) => flags["http"] === true,
    open: async (context) => (await import("./open-http-host.ts")).openHttpHost(context),
  },
  {
    options: [],
    isSelected: () => true,
    open({ flags, log, stdin, stdout }) {
      const ofHttp = (["host", "port", "path", "tokens"] as const).find((name) => flags[name] !== undefined);
      if (ofHttp !== undefined) throw new ConfigurationError(`--${ofHttp}: serves over HTTP only; add --http`);
      const options = {
        info: { name: "toolpacks", version },
        input: stdin,
        output: stdout,
        onError: (error: Error) => log.debug(`transport: ${error.message.slice(0, 500)}`),
      };
      return {
        hasOneClient: true,
        start: async (surfaceFor) => serveStdio(await surfaceFor(localPrincipal), options),
      };
    },
  },
];

/** The host that the flags select. */
export function selectHost(flags: ServeFlags): HostEntry {
  const entry = hosts.find((one) => one.isSelected(flags));
  if (entry === undefined) throw new Error("the flags select no host");
  return entry;
}
