import { parseEnv } from "node:util";
import { closest, describeIssues, errorText, isObject } from "@toolpacks/core";
import { checkPlainValue } from "@toolpacks/bounded-io";
import { readRegularFile } from "@toolpacks/files";
import { parseUpstreamOptions, type UpstreamOptions } from "../options.ts";
import { addressFields, blockSchemas, type Block } from "./block-schemas.ts";
import { expandVariables } from "./expand-variables.ts";
import { resolvePath } from "./resolve-path.ts";

/** A parsed block. */
export interface ReadBlock {
  readonly options: Omit<UpstreamOptions, "name">;
  /** Fields that look misspelt and are ignored. */
  readonly warnings: readonly string[];
}

/** Where a block was found. */
export interface Surroundings {
  /** Directory of its relative paths. */
  readonly here: string;
  /** Leaves `${NAME}` unexpanded and reads no `envFile`, to show a block. Default false. */
  readonly keepsVariables?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Parses a block of `mcpServers` of any client into options of `upstream`. Fields of other clients are converted; unknown fields are
 * ignored.
 *
 * @throws Error that says what is wrong; UnsetVariable for a missing variable
 */
export function readBlock(value: unknown, surroundings: Surroundings): ReadBlock {
  const { environment, keepsVariables = false } = surroundings;
  const set = setFields(value);
  const written = checked(set);
  const block = keepsVariables
    ? written
    : expandVariables({ ...written, env: withPlainVariables(written.env, environment) }, environment);
  refuse(block);
  const names = Object.keys(set);
  const options = { ...settingsOf(block, names), ...targetOf(block, surroundings) } as ReadBlock["options"];
  return { options, warnings: nearMisses(names) };
}

/**
 * The fields of a block that are set. Clients write null and "" for fields that are not set.
 *
 * @throws Error for a block that is not an object, or that could hide something
 */
export function setFields(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new Error("expected an object");
  checkPlainValue(value);
  const set = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== ""));
  checkLengths(set);
  return set;
}

const maxWordLength = 10_000;

/** Rejects long arguments: the user who is asked to trust the block could not read them. */
function checkLengths(block: Readonly<Record<string, unknown>>) {
  const { args } = block;
  const words = Array.isArray(args) ? args.map((word: unknown, at) => [`args.${at}`, word] as const) : [];
  const fields = ["command", ...addressFields, "cwd", "envFile"].map((name) => [name, block[name]] as const);
  for (const [name, value] of [...fields, ...words]) {
    if (typeof value !== "string" || value.length <= maxWordLength) continue;
    throw new Error(`${name}: expected at most ${maxWordLength} characters, received ${value.length}`);
  }
}

/** Parses a block and also validates it as `upstream` does. */
export function checkBlock(value: unknown, surroundings: Surroundings): ReadBlock {
  const block = readBlock(value, surroundings);
  parseUpstreamOptions({ ...block.options, name: "server" } as UpstreamOptions);
  return block;
}

/** The message for a block that was rejected. */
export function refusalText(error: unknown): string {
  return errorText(error).replace(/^upstream: /, "");
}

/** @throws Error that names each wrong field */
function checked(set: object): Block {
  const { block } = blockSchemas();
  const parsed = block.safeParse(set, { jitless: true });
  if (!parsed.success) throw new Error(describeIssues(parsed.error.issues, block));
  return parsed.data;
}

/** Converts `$NAME` of Gemini CLI to `${NAME}`, if the variable is set. */
function withPlainVariables(env: Block["env"], environment: Surroundings["environment"]): Block["env"] {
  if (env === undefined) return undefined;
  const braced = (value: NonNullable<Block["env"]>[string]) => {
    const variable = typeof value === "string" ? /^\$([A-Za-z_]\w*)$/.exec(value)?.[1] : undefined;
    return variable === undefined || !environment[variable] ? value : `\${${variable}}`;
  };
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, braced(value)]));
}

/** Rejects settings that only the block's client can apply. */
function refuse({ headersHelper, authProviderType = "dynamic_discovery" }: Block): void {
  if (headersHelper !== undefined) throw new Error("headersHelper: only its client can run it; use headers or auth");
  if (authProviderType !== "dynamic_discovery") {
    throw new Error(`authProviderType: only its client supports ${authProviderType}; use headers or auth`);
  }
}

/** @param fields names of the fields that the block sets; `upstream` adds the defaults */
function settingsOf(block: Block, fields: readonly string[]) {
  const { tools, timeout, enabledTools, includeTools, disabledTools = [], excludeTools = [] } = block;
  const isSetting = (name: string) =>
    fields.includes(name) && Object.hasOwn(blockSchemas().ours.shape, name) && !["transport", "auth"].includes(name);
  const settings = Object.fromEntries(Object.entries(block).filter(([name]) => isSetting(name)));
  const listed = [Array.isArray(tools) && !tools.includes("*") ? tools : undefined, enabledTools, includeTools];
  const only = [block.onlyTools, ...listed].filter((list) => list !== undefined);
  const hidden = [...disabledTools, ...excludeTools].map((name) => [name, { hide: true }] as const);
  return {
    ...settings,
    // An allowed tool must be in every list.
    onlyTools: only.length === 0 ? undefined : only.reduce((all, list) => all.filter((name) => list.includes(name))),
    tools: { ...(!Array.isArray(tools) && tools), ...Object.fromEntries(hidden) },
    // Some clients use seconds, others milliseconds: below 1,000 it is seconds.
    ...(timeout !== undefined &&
      settings["timeoutSeconds"] === undefined && { timeoutSeconds: timeout < 1_000 ? timeout : timeout / 1_000 }),
  };
}

function targetOf(block: Block, { here, keepsVariables = false }: Surroundings) {
  const { command, args = [], cwd, headers } = block;
  const addresses = addressFields.filter((name) => block[name] !== undefined);
  const [address] = addresses;
  if (command !== undefined && address !== undefined) throw new Error(`command and ${address}: expected one of them`);
  if (new Set(addresses.map((name) => block[name])).size > 1) {
    throw new Error(`${addresses.join(" and ")}: expected one address`);
  }
  const transport = transportOf(block);
  if (address !== undefined) {
    const auth = block.auth ?? (block.oauth && { oauth: block.oauth });
    return { url: block[address], headers: textsOf(headers), ...transport, ...(auth && { auth: authOf(auth) }) };
  }
  if (command === undefined) throw new Error("it has neither command nor url");
  const folder = cwd === undefined ? {} : { cwd: resolvePath(here, cwd) };
  const fromFile = keepsVariables ? {} : fileVariables(block, here);
  return { command, args: args.map(String), env: { ...fromFile, ...textsOf(block.env) }, ...folder };
}

function textsOf(values: Block["env"]): Record<string, string> {
  const set = Object.entries(values ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

const maxEnvFileBytes = 1_048_576;

function fileVariables({ envFile }: Block, here: string): NodeJS.Dict<string> {
  if (envFile === undefined) return {};
  const file = resolvePath(here, envFile);
  try {
    return parseEnv(readRegularFile(file, maxEnvFileBytes).toString("utf8"));
  } catch (error) {
    throw new Error(`envFile: ${file} cannot be read`, { cause: error });
  }
}

/** The transport of `transport` (ours) or `type`. `type: http` leaves the choice between HTTP and SSE open. */
function transportOf({ transport, transportType, type }: Block): { transport?: "http" | "sse" } {
  const known = { stdio: undefined, local: undefined, http: "http", streamablehttp: "http", sse: "sse" } as const;
  for (const [field, word] of Object.entries({ transport, transportType, type })) {
    if (word === undefined) continue;
    const plain = word.toLowerCase().replaceAll(/[^a-z]/g, "");
    if (!Object.hasOwn(known, plain)) throw new Error(`${field}: expected stdio, http or sse, received ${word}`);
    const found = known[plain as keyof typeof known];
    return found === undefined || (found === "http" && field !== "transport") ? {} : { transport: found };
  }
  return {};
}

/** Converts the OAuth client settings of Cursor and other clients. */
function authOf(auth: NonNullable<Block["auth"]> | { oauth: NonNullable<Block["oauth"]> }) {
  if (typeof auth === "string" || "token" in auth) return auth;
  if ("oauth" in auth) return { oauth: withScope(auth.oauth) };
  const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, scopes } = auth;
  return { oauth: withScope({ clientId, clientSecret, scopes }) };
}

function withScope({
  scopes,
  ...rest
}: {
  readonly scopes?: string | readonly string[] | undefined;
  readonly [name: string]: unknown;
}) {
  return { ...rest, ...(scopes !== undefined && { scope: typeof scopes === "string" ? scopes : scopes.join(" ") }) };
}

/** Warnings about misspelt fields. A misspelt `onlyTools` would not protect the user. Other unknown fields belong to other clients. */
function nearMisses(fields: readonly string[]): readonly string[] {
  const { ours, block } = blockSchemas();
  const known = Object.keys(block.shape);
  return fields
    .filter((field) => !known.includes(field))
    .flatMap((field) => {
      const prefix = Object.keys(ours.shape).find((name) => field.toLowerCase().startsWith(name.toLowerCase()));
      const meant = prefix ?? closest(field, known, 0.7);
      return meant === undefined
        ? []
        : [`unknown field ${JSON.stringify(field)} (did you mean ${JSON.stringify(meant)}?)`];
    });
}
