import type { Transport } from "@modelcontextprotocol/client";
import { describeIssues, jsonValue } from "@toolpacks/core";
import { z } from "zod";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { RemoteState } from "./remote-state.ts";

/** Changes to one of a server's tools. */
const override = z.strictObject({
  rename: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe("what stands after the server's name in place of the tool's own"),
  description: z.string().min(1).max(2_048).optional().describe("in place of the server's"),
  keywords: z.array(z.string().max(100)).max(50).optional().describe("words that find it"),
  hide: z.boolean().optional().describe("neither found nor called"),
  mutates: z.boolean().optional().describe("whether it changes anything, in place of what the server says"),
});

const seconds = (max: number) => z.number().positive().max(max);

/** Settings of an upstream server, in code and in config files. */
export const upstreamSettings = z.object({
  tools: z.record(z.string(), override).optional().describe("by the server's names for them"),
  undo: z
    .record(
      z.string(),
      z.string().refine(isToolCall, 'expected a tool and its arguments as JSON: close_issue {"number": 1}'),
    )
    .optional()
    .describe(
      'calls that take back calls: create_issue: close_issue {"number": "${result.number}"}; by the server\'s names',
    ),
  onlyTools: z.array(z.string()).optional().describe("the only ones that are found and called, by the server's names"),
  changes: z
    .enum(["hold", "tell"])
    .default("hold")
    .describe(
      "tools and prompts that are new or changed since they were accepted: hold them back until they are accepted (the default), or only tell",
    ),
  identity: z
    .enum(["shared", "caller"])
    .default("shared")
    .describe(
      "shared: all callers use one process and one sign-in (the default); caller: each caller has a process and a sign-in of its own",
    ),
  maxCallers: z
    .int()
    .min(1)
    .max(10_000)
    .default(32)
    .describe("with identity caller: maximum number of callers with a process or connection at the same time"),
  concurrency: z.int().min(1).max(1_000).default(8).describe("maximum number of simultaneous calls"),
  timeoutSeconds: seconds(86_400).default(120).describe("for a call, counted anew at each progress"),
  connectSeconds: seconds(3_600).default(60).describe("for starting or connecting"),
  idleSeconds: seconds(86_400)
    .optional()
    .describe("unused for so long, it is stopped until its next use; default 300, with identity caller 600"),
  maxResultBytes: z.int().min(1_000).max(1_000_000_000).default(20_000_000).describe("of one message"),
  maxTools: z.int().min(1).max(20_000).default(1_000).describe("maximum number of tools"),
});

const hostOptions = z.object({
  /** Directory of the cached offers. Default: the user's cache folder for toolpacks. */
  cacheDirectory: z.string().optional(),
  /** Directory of sign-ins and accepted tools, if there is no `state`. Default: the user's data folder for toolpacks. */
  dataDirectory: z.string().optional(),
  /** Maximum seconds that the first list waits for a server that is not in the cache. Default 5. */
  firstListTimeoutSeconds: z.number().min(0).max(600).default(5),
  /** Parameter names that the surface reserves. A tool's own parameter is then called `tool_<name>`. Default none. */
  reserved: z.array(z.string()).default([]),
  /** Flags that hints add to `toolpacks` commands, such as `--config <file>`. Default none. */
  hintFlags: z.array(z.string()).default([]),
  /** Separates accepted tools of servers with the same name, for example by config file. Default: shared. */
  scope: z.string().optional(),
  /** Id of the caller with whose identity the server is used. Default "": the user who started this process, or all callers. */
  caller: z.string().max(10_000).default(""),
  /** Storage of accepted tools and sign-ins. Default: files in `dataDirectory`. */
  state: z.custom<RemoteState>((value) => typeof value === "object").optional(),
  /** Limits the connections of all callers together. Default: no limit. */
  limit: z.custom<ConnectionLimit>((value) => typeof value === "object").optional(),
  /** Name prefixes of other servers. A tool whose name would begin with one gets a hash suffix. Default none. */
  avoid: z.array(z.string()).default([]),
  /** Called with the server's stderr and log messages, and with connection events. Default: none. */
  log: z.custom<UpstreamLog>((value) => typeof value === "function").optional(),
  /** Awaited before more of a server's output is read, for backpressure from the client. Default: no wait. */
  ready: z.custom<() => Promise<void> | undefined>((value) => typeof value === "function").optional(),
});

const named = z.object({
  /** The name of the pack, and the prefix of its tools' names. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, "expected lower-case letters, digits and dashes")
    .max(40),
});

const local = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** The process gets only these variables, and HOME, LOGNAME, PATH, SHELL, TERM and USER (on Windows, the equivalents). */
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
});

const sharedOptions = named.extend(upstreamSettings.shape).extend(hostOptions.shape);

const localOptions = sharedOptions.extend(local.shape);

const openOptions = sharedOptions.extend({
  /** Creates the transport of each connection: a server in this process, or by other means. */
  open: z.custom<() => Transport>((value) => typeof value === "function"),
});

/** Created for the first remote server, so that a start without one does not pay for it. */
function makeRemoteOptions() {
  const oauth = z.strictObject({
    clientId: z.string().min(1).optional().describe("default: registered with the server"),
    clientSecret: z.string().min(1).optional(),
    scope: z.string().min(1).optional(),
    callbackPort: z.int().min(1).max(65_535).optional().describe("port of the address that the browser comes back to"),
  });
  const remote = z.object({
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).default({}),
    /** A bearer token, or OAuth. Default: OAuth if the server asks for it. */
    auth: z
      .union([z.strictObject({ token: z.string().min(1) }), z.strictObject({ oauth }), z.literal("oauth")])
      .optional(),
    /** Default: Streamable HTTP, then SSE if the server does not support it. */
    transport: z.enum(["http", "sse"]).optional(),
  });
  return sharedOptions.extend(remote.shape);
}

type LocalOptions = typeof localOptions;
type OpenOptions = typeof openOptions;
type RemoteOptions = ReturnType<typeof makeRemoteOptions>;
let remoteOptions: RemoteOptions | undefined;

/** Options that a host sets, and no config file. */
export type HostOptions = z.input<typeof hostOptions>;
export type UpstreamLevel = "error" | "warn" | "info" | "debug";
export type UpstreamLog = (level: UpstreamLevel, message: string) => void;
export type UpstreamOptions = z.input<LocalOptions> | z.input<RemoteOptions> | z.input<OpenOptions>;
/** Validated options with defaults. */
export type UpstreamPlan = LocalPlan | RemotePlan | WithIdleSeconds<z.output<OpenOptions>>;
export type LocalPlan = WithIdleSeconds<z.output<LocalOptions>>;
export type RemotePlan = WithIdleSeconds<z.output<RemoteOptions>>;
type WithIdleSeconds<Options> = Omit<Options, "idleSeconds"> & { readonly idleSeconds: number };
export type ToolOverride = z.output<typeof override>;

const sharedIdleSeconds = 300;
/** Longer than that of a shared server: a process of one caller is used less often, and starting it takes time. */
const callerIdleSeconds = 600;

/** @throws Error that names each wrong option */
export function parseUpstreamOptions(options: UpstreamOptions): UpstreamPlan {
  // Validates only the form that is meant, for better errors. `jitless`: compiling a schema that is used once slows the start.
  const form =
    "url" in options ? (remoteOptions ??= makeRemoteOptions()) : "open" in options ? openOptions : localOptions;
  const parsed = form.safeParse(options, { jitless: true });
  if (!parsed.success) throw new Error(`upstream: ${describeIssues(parsed.error.issues, form)}`);
  const { identity, idleSeconds = identity === "caller" ? callerIdleSeconds : sharedIdleSeconds } = parsed.data;
  return { ...parsed.data, idleSeconds };
}

function isToolCall(text: string): boolean {
  const [, json = ""] = /^\S+ (\{.*\})$/s.exec(text) ?? [];
  return typeof jsonValue(json) === "object";
}
