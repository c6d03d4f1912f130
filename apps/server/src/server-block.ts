import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { closest, describeIssues } from "@toolpacks/core";
import { settleOptions, upstreamSettings, type UpstreamOptions } from "@toolpacks/upstream";
import { z } from "zod";
import { expandVariables } from "./expand-variables.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** Null stands for what is not set. */
const texts = z.record(z.string(), scalar.nullable());
const names = z.array(z.string());
const scopes = z.union([z.string(), names]);
type Scopes = z.output<typeof scopes>;

const auth = z.union([
  z.literal("oauth"),
  z.strictObject({ token: z.string().min(1) }),
  z.strictObject({ oauth: z.record(z.string(), z.unknown()) }),
  z.object({ CLIENT_ID: z.string(), CLIENT_SECRET: z.string().optional(), scopes: scopes.optional() }),
]);

/** What Claude Code, VS Code and Gemini CLI call `auth.oauth`. */
const oauth = z.object({
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scopes: scopes.optional(),
  callbackPort: z.int().optional(),
});

/** What may stand beside what the clients know. */
const ours = z.object({
  ...upstreamSettings.partial().shape,
  transport: z.string().optional().describe("http or sse; default: by trying"),
  auth: auth.optional(),
  patienceSeconds: z.number().optional(),
  cacheDirectory: z.string().optional(),
  dataDirectory: z.string().optional(),
});

/** A server as every client's config file writes it, and beside it what we know to ask of one. Other fields are let be. */
export const serverBlock = z.object({
  ...ours.shape,
  command: z.string().min(1).optional().describe("program that is a server on stdio"),
  args: z.array(scalar).optional(),
  env: texts.optional().describe("the variables it gets; ${NAME} stands for one of ours"),
  envFile: z.string().optional().describe("a file of further variables, relative to this file"),
  cwd: z.string().optional().describe("relative to this file"),
  type: z.string().optional().describe("sse for a server of the older transport"),
  transportType: z.string().optional(),
  url: z.string().min(1).optional().describe("address of a server elsewhere"),
  serverUrl: z.string().min(1).optional().describe("as url"),
  httpUrl: z.string().min(1).optional().describe("as url"),
  headers: texts.optional(),
  headersHelper: z.unknown().optional(),
  authProviderType: z.string().optional(),
  oauth: oauth.optional(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
  tools: z.union([upstreamSettings.shape.tools.unwrap(), names]).optional(),
  enabledTools: names.optional().describe("as onlyTools"),
  includeTools: names.optional().describe("as onlyTools"),
  disabledTools: names.optional().describe("tools to hide"),
  excludeTools: names.optional().describe("tools to hide"),
  timeout: z.number().positive().optional().describe("as timeoutSeconds, in milliseconds from 1000"),
});

type Block = z.output<typeof serverBlock>;

/** What a block says, in our words. */
export interface ReadBlock {
  readonly options: Omit<UpstreamOptions, "name">;
  /** Fields that are heeded by nobody, though they look as if they should be. */
  readonly remarks: readonly string[];
}

/** Where a block stands. */
export interface Surroundings {
  /** Where its relative paths begin. */
  readonly here: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** True where a block is there and is not to be used. */
export function isDisabled(block: unknown): boolean {
  const { disabled, enabled } = (block ?? {}) as { disabled?: unknown; enabled?: unknown };
  return disabled === true || enabled === false;
}

/**
 * A block of `mcpServers`, in whichever client's words, as `upstream` takes it: fields that clients know are put into ours, those that mean
 * nothing here are let be.
 *
 * @throws Error that says what cannot be taken; UnsetVariable where a variable of the environment is missing
 */
export function readBlock(given: unknown, { here, environment }: Surroundings): ReadBlock {
  if (given === null || typeof given !== "object" || Array.isArray(given)) throw new Error("expected an object");
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ""));
  const parsed = serverBlock.safeParse(set, { jitless: true });
  if (!parsed.success) throw new Error(describeIssues(parsed.error.issues, Object.keys(serverBlock.shape)));
  const block = expandVariables({ ...parsed.data, env: withPlainVariables(parsed.data.env, environment) }, environment);
  refuse(block);
  const options = { ...settingsOf(block, Object.keys(set)), ...placeOf(block, here) } as ReadBlock["options"];
  try {
    settleOptions({ ...options, name: "server" } as UpstreamOptions);
  } catch (error) {
    throw new Error((error as Error).message.replace(/^upstream: /, ""), { cause: error });
  }
  return { options, remarks: nearMisses(Object.keys(set)) };
}

/** Gemini CLI writes `$NAME` for a variable, and leaves it where there is none. */
function withPlainVariables(env: Block["env"], environment: Surroundings["environment"]): Block["env"] {
  if (env === undefined) return undefined;
  const braced = (value: NonNullable<Block["env"]>[string]) => {
    const variable = typeof value === "string" ? /^\$([A-Za-z_]\w*)$/.exec(value)?.[1] : undefined;
    return variable === undefined || !environment[variable] ? value : `\${${variable}}`;
  };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, braced(value)]));
}

/** What its client would do for it, and nobody here can. */
function refuse({ headersHelper, authProviderType = "dynamic_discovery" }: Block): void {
  if (headersHelper !== undefined) throw new Error("headersHelper: its client alone runs it; write headers or auth");
  if (authProviderType !== "dynamic_discovery") {
    throw new Error(`authProviderType: ${authProviderType} is known to its client alone; write headers or auth`);
  }
}

/** @param given the fields that stand in the block: the others are left to `upstream` */
function settingsOf(block: Block, given: readonly string[]) {
  const { tools, timeout, enabledTools, includeTools, disabledTools = [], excludeTools = [] } = block;
  const isSetting = (name: string) =>
    given.includes(name) && name in ours.shape && !["transport", "auth"].includes(name);
  const settings = Object.fromEntries(Object.entries(block).filter(([name]) => isSetting(name)));
  const listed = [Array.isArray(tools) && !tools.includes("*") ? tools : undefined, enabledTools, includeTools];
  const only = [block.onlyTools, ...listed].filter((list) => list !== undefined);
  const hidden = [...disabledTools, ...excludeTools].map((name) => [name, { hide: true }] as const);
  return {
    ...settings,
    // A tool must be in every list of those that are allowed.
    onlyTools: only.length === 0 ? undefined : only.reduce((all, list) => all.filter((name) => list.includes(name))),
    tools: { ...(!Array.isArray(tools) && tools), ...Object.fromEntries(hidden) },
    // Clients that count seconds count few of them, and those that count milliseconds many.
    ...(timeout !== undefined &&
      settings["timeoutSeconds"] === undefined && { timeoutSeconds: timeout < 1_000 ? timeout : timeout / 1_000 }),
  };
}

function placeOf(block: Block, here: string) {
  const { command, args = [], cwd, headers } = block;
  const addresses = (["url", "serverUrl", "httpUrl"] as const).filter((name) => block[name] !== undefined);
  const [address] = addresses;
  if (command !== undefined && address !== undefined) throw new Error(`command and ${address}: expected one of them`);
  if (new Set(addresses.map((name) => block[name])).size > 1) {
    throw new Error(`${addresses.join(" and ")}: expected one address`);
  }
  const transport = transportOf(block);
  if (address !== undefined) {
    const given = block.auth ?? (block.oauth && { oauth: block.oauth });
    return { url: block[address], headers: textsOf(headers), ...transport, ...(given && { auth: authOf(given) }) };
  }
  if (command === undefined) throw new Error("it has neither command nor url");
  const place = cwd === undefined ? {} : { cwd: resolvePath(here, cwd) };
  return { command, args: args.map(String), env: { ...fileVariables(block, here), ...textsOf(block.env) }, ...place };
}

function textsOf(values: Block["env"]): Record<string, string> {
  const set = Object.entries(values ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

function fileVariables({ envFile }: Block, here: string): NodeJS.Dict<string> {
  if (envFile === undefined) return {};
  const file = resolvePath(here, envFile);
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`envFile: ${file} cannot be read`, { cause: error });
  }
}

/** A path from a block, which may begin in the user's home: `~/data`. */
function resolvePath(here: string, given: string): string {
  return path.resolve(here, given.replace(/^~(?=$|[\\/])/, homedir()));
}

/** Of `transport`, which is ours, and `type`, which leaves the way there open. */
function transportOf({ transport, transportType, type }: Block): { transport?: "http" | "sse" } {
  const known = { stdio: undefined, local: undefined, http: "http", streamablehttp: "http", sse: "sse" } as const;
  for (const [field, word] of Object.entries({ transport, transportType, type })) {
    if (word === undefined) continue;
    const plain = word.toLowerCase().replaceAll(/[^a-z]/g, "");
    if (!(plain in known)) throw new Error(`${field}: expected stdio, http or sse, received ${word}`);
    const found = known[plain as keyof typeof known];
    return found === undefined || (found === "http" && field !== "transport") ? {} : { transport: found };
  }
  return {};
}

/** Cursor's words for a client of OAuth, and those of others, beside our own. */
function authOf(given: NonNullable<Block["auth"]> | { oauth: NonNullable<Block["oauth"]> }) {
  if (typeof given === "string" || "token" in given) return given;
  if ("oauth" in given) return { oauth: withScope(given.oauth) };
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, scopes } = given;
  return { oauth: withScope({ clientId, clientSecret, scopes }) };
}

function withScope({ scopes, ...rest }: { readonly scopes?: Scopes | undefined; readonly [name: string]: unknown }) {
  return { ...rest, ...(scopes !== undefined && { scope: typeof scopes === "string" ? scopes : scopes.join(" ") }) };
}

/** A misspelt `pin` would protect nobody. What is like nothing of ours is another client's. */
function nearMisses(fields: readonly string[]): readonly string[] {
  const known = Object.keys(serverBlock.shape);
  return fields
    .filter((field) => !known.includes(field))
    .flatMap((field) => {
      const begun = Object.keys(ours.shape).find((name) => field.toLowerCase().startsWith(name.toLowerCase()));
      const meant = begun ?? closest(field, known, 0.7);
      return meant === undefined ? [] : [`${field} is no field of it; did you mean ${meant}?`];
    });
}
