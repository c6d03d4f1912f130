import { describeIssues } from "@toolpacks/core";
import { z } from "zod";

/** How one of a server's tools appears here. */
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

const seconds = (most: number) => z.number().positive().max(most);

/** What every upstream may say of itself, in code and in a config file alike. */
export const upstreamSettings = z.object({
  tools: z.record(z.string(), override).optional().describe("by the server's names for them"),
  onlyTools: z.array(z.string()).optional().describe("the only ones that are found and called, by the server's names"),
  changes: z
    .enum(["hold", "tell"])
    .optional()
    .describe(
      "tools and prompts that are new or changed since they were accepted: hold them back until they are accepted (the default), or only tell",
    ),
  pin: z.boolean().optional().describe('true is changes: "hold", false is changes: "tell"'),
  concurrency: z.int().min(1).max(1_000).default(8).describe("most calls at once"),
  timeoutSeconds: seconds(86_400).default(120).describe("for a call, counted anew at each progress"),
  connectSeconds: seconds(3_600).default(60).describe("for starting or connecting"),
  idleSeconds: seconds(86_400).default(300).describe("unused for so long, it is stopped until its next use"),
  maxResultBytes: z.int().min(1_000).max(1_000_000_000).default(20_000_000).describe("of one message"),
  maxTools: z.int().min(1).max(20_000).default(1_000),
});

const places = z.object({
  /** Where what a server offers is kept between runs. Default: the user's cache folder for toolpacks. */
  cacheDirectory: z.string().optional(),
  /** Where tokens and accepted tools are kept. Default: the user's data folder for toolpacks. */
  dataDirectory: z.string().optional(),
  /** Seconds that a first question for its tools waits for a server of which nothing is cached. Default 5. */
  patienceSeconds: z.number().min(0).max(600).default(5),
  /** Parameter names that a surface keeps for itself: a tool's own are then called `tool_<name>`. Default none. */
  reserved: z.array(z.string()).default([]),
  /** What a hint puts behind a command of `toolpacks`, as `--config <file>` for one that would find no config without. Default none. */
  hintFlags: z.array(z.string()).default([]),
  /** Keeps what was accepted of servers of one name apart, as the config file does that names each. Default: one for all. */
  scope: z.string().optional(),
  /** Beginnings of names that are another server's: a tool whose name would begin so ends with a hash. Default none. */
  avoid: z.array(z.string()).default([]),
  /** Told what the server writes to stderr and logs, and what becomes of it. Default: nobody. */
  log: z.custom<UpstreamLog>((value) => typeof value === "function").optional(),
  /** Awaited before more of a server's output is read, for a client that reads slowly. Default: the output is read at once. */
  ready: z.custom<() => Promise<void> | undefined>((value) => typeof value === "function").optional(),
});

const named = z.object({
  /** What the pack is called, and what its tools' names begin with. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/, "expected lower-case letters, digits and dashes")
    .max(40),
});

const local = z.object({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** The only variables the process gets, beside HOME, LOGNAME, PATH, SHELL, TERM and USER (on Windows, their like). */
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
});

const about = named.extend(upstreamSettings.shape).extend(places.shape);

const localOptions = about.extend(local.shape);

/** Made for the first server elsewhere, so that a start without any is not charged for it. */
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
    /** A bearer token, or OAuth, which is also what happens without when the server asks for it. */
    auth: z
      .union([z.strictObject({ token: z.string().min(1) }), z.strictObject({ oauth }), z.literal("oauth")])
      .optional(),
    /** Default: Streamable HTTP, and SSE where a server knows no better. */
    transport: z.enum(["http", "sse"]).optional(),
  });
  return about.extend(remote.shape);
}

type LocalOptions = typeof localOptions;
type RemoteOptions = ReturnType<typeof makeRemoteOptions>;
let remoteOptions: RemoteOptions | undefined;

export type UpstreamLevel = "error" | "warn" | "info" | "debug";
export type UpstreamLog = (level: UpstreamLevel, message: string) => void;
export type UpstreamOptions = z.input<LocalOptions> | z.input<RemoteOptions>;
/** Options with everything settled. */
export type UpstreamPlan = LocalPlan | RemotePlan;
export type LocalPlan = Settled<z.output<LocalOptions>>;
export type RemotePlan = Settled<z.output<RemoteOptions>>;
type Settled<Options> = Omit<Options, "pin" | "changes"> & { readonly changes: "hold" | "tell" };
export type ToolOverride = z.output<typeof override>;

/** @throws Error that names each wrong option */
export function parseUpstreamOptions(options: UpstreamOptions): UpstreamPlan {
  // Of the two forms, the one that was meant says what is wrong with it. Compiling a schema that is used once costs a start more than it saves.
  const form = "url" in options ? (remoteOptions ??= makeRemoteOptions()) : localOptions;
  const parsed = form.safeParse(options, { jitless: true });
  if (!parsed.success) throw new Error(`upstream: ${describeIssues(parsed.error.issues, form)}`);
  const { pin, changes, ...plan } = parsed.data;
  if (pin !== undefined && changes !== undefined) {
    throw new Error('upstream: pin and changes: expected one of them; pin: true is changes: "hold"');
  }
  return { ...plan, changes: changes ?? (pin === false ? "tell" : "hold") };
}
