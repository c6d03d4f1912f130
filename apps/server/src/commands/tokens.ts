import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, describeIssues, nearest, ToolError } from "@toolpacks/core";
import {
  type Access,
  accessSchema,
  changeTokens,
  createToken,
  describeAccess,
  isExpired,
  isTokenName,
  namedToken,
  type Rate,
  readTokens,
  type TokenRecord,
} from "@toolpacks/access";
import { shellQuote, userFolders } from "@toolpacks/settings";
import { type Io, printTable, print, printError, printJson } from "@toolpacks/terminal";
import { tokenWarnings } from "./token-warnings.ts";

export interface TokenFileFlags {
  readonly file?: string;
}

export interface AddTokenFlags extends TokenFileFlags {
  readonly facets?: readonly string[];
  readonly tools?: readonly string[];
  readonly readOnly?: boolean;
  readonly root?: readonly string[];
  readonly workspaces?: readonly string[];
  readonly rate?: string;
  readonly expires?: string;
}

/** `toolpacks tokens add`: creates a token. Only the token goes to stdout, so that it can be piped. */
export async function addToken(io: Io, flags: AddTokenFlags, name: string): Promise<void> {
  if (!isTokenName(name)) {
    throw new ConfigurationError("name: expected 1 to 100 printable characters that are not the form of an id");
  }
  const access = accessOf(io, flags);
  const now = new Date();
  const { token, ...secret } = createToken();
  const expiresAt = expiryOf(flags.expires, now);
  const record = { ...secret, name, access, createdAt: now.toISOString(), ...(expiresAt && { expiresAt }) };
  const file = fileOf(io, flags);
  await changeTokens(file, (tokens) => {
    if (tokens.every((one) => one.name !== name)) return [...tokens, record];
    throw new ToolError(
      "conflict",
      `there is already a token with the name ${JSON.stringify(name)}`,
      `Choose another name, or give it a new secret: toolpacks tokens rotate ${shellQuote(name)}`,
    );
  });
  print(io, token);
  printError(
    io,
    `created ${describeToken(record)}`,
    "The token is shown only now. The file has its hash.",
    ...missingRoots(access),
    ...(await tokenWarnings(io, [namedToken(record)])),
    `To use it: toolpacks serve --http --tokens ${shellQuote(file)}`,
  );
}

/** `toolpacks tokens list`: shows the tokens without secrets and hashes. */
export async function listTokens(
  io: Io,
  { json = false, ...flags }: TokenFileFlags & { json?: boolean },
): Promise<void> {
  const file = fileOf(io, flags);
  const tokens = await readTokens(file);
  const now = Date.now();
  if (json) {
    return printJson(
      io,
      tokens.map(({ id, name, access, createdAt, expiresAt }) => {
        return { id, name, access, createdAt, expiresAt, isExpired: isExpired({ expiresAt }, now) };
      }),
      2,
    );
  }
  if (tokens.length === 0) return print(io, `no tokens in ${file}`);
  const rows = tokens.map((token) => {
    const { name, id, access, createdAt, expiresAt } = token;
    const expiry = expiresAt === undefined ? "never" : `${day(expiresAt)}${isExpired(token, now) ? " (expired)" : ""}`;
    return [name, id, day(createdAt), expiry, describeAccess(access)];
  });
  const titles = ["name", "id", "created", "expires", "rights"];
  printTable(io, { columns: titles.map((title) => ({ title, isText: title === "rights" })), rows });
  const warnings = await tokenWarnings(io, tokens.map(namedToken));
  if (warnings.length > 0) printError(io, ...warnings);
}

/** `toolpacks tokens rotate`: replaces the secret. Id and rights stay, so the caller keeps its records. */
export async function rotateToken(io: Io, flags: TokenFileFlags & { expires?: string }, named: string): Promise<void> {
  const now = new Date();
  const expiresAt = expiryOf(flags.expires, now);
  let result: { readonly token: string; readonly record: TokenRecord } | undefined;
  await changeTokens(fileOf(io, flags), (tokens) => {
    const old = findToken(tokens, named);
    if (expiresAt === undefined && isExpired(old, now.getTime())) {
      throw new ConfigurationError(`--expires: required, because the token has expired on ${day(old.expiresAt ?? "")}`);
    }
    const { token, hash } = createToken(old.id);
    const record = { ...old, hash, createdAt: now.toISOString(), ...(expiresAt && { expiresAt }) };
    result = { token, record };
    return tokens.map((one) => (one === old ? record : one));
  });
  if (result === undefined) return;
  print(io, result.token);
  printError(
    io,
    `new secret of ${describeToken(result.record)}`,
    "Running servers refuse the old token within a second.",
  );
}

/** `toolpacks tokens revoke`: removes a token. */
export async function revokeToken(io: Io, flags: TokenFileFlags, named: string): Promise<void> {
  let revoked: TokenRecord | undefined;
  await changeTokens(fileOf(io, flags), (tokens) => {
    revoked = findToken(tokens, named);
    return tokens.filter((one) => one !== revoked);
  });
  if (revoked !== undefined) {
    print(io, `revoked ${JSON.stringify(revoked.name)} (${revoked.id}); running servers refuse it within a second`);
  }
}

function fileOf({ cwd, env }: Io, { file }: TokenFileFlags): string {
  return file === undefined ? path.join(userFolders("toolpacks", env).config, "tokens.json") : path.resolve(cwd, file);
}

/** Finds a token by its name or id. @throws ToolError `not_found` */
function findToken(tokens: readonly TokenRecord[], named: string): TokenRecord {
  const found = tokens.find(({ id, name }) => id === named || name === named);
  if (found !== undefined) return found;
  const [near] = nearest(
    named,
    tokens.map(({ name }) => name),
  );
  const question = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  throw new ToolError(
    "not_found",
    `there is no token ${JSON.stringify(named)}${question}`,
    "toolpacks tokens list shows them.",
  );
}

/** The rights of a new token. @throws ConfigurationError naming the flag and what is expected */
function accessOf({ cwd }: Io, { facets, tools, readOnly, root, workspaces, rate }: AddTokenFlags): Access {
  for (const [flag, names] of Object.entries({ facets, tools, workspaces })) {
    if (names?.length === 0) throw new ConfigurationError(`--${flag}: expected at least one name`);
  }
  const parsed = accessSchema.safeParse({
    facets,
    tools,
    readOnly,
    roots: root?.map((one) => path.resolve(cwd, one)),
    workspaces,
    rate: rateOf(rate),
  });
  if (!parsed.success) throw new ConfigurationError(describeIssues(parsed.error.issues, accessSchema));
  // Undefined fields would be written as such by other encoders than JSON.
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}

function missingRoots({ roots = [] }: Access): readonly string[] {
  return roots.filter((one) => !existsSync(one)).map((one) => `warning: there is no folder ${one} on this machine`);
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function rateOf(text: string | undefined): Rate | undefined {
  if (text === undefined) return undefined;
  const [, requests, count = "1", unit = ""] = /^(\d{1,10})\/(\d{1,5})?([smhd])$/.exec(text) ?? [];
  if (requests !== undefined) return { requests: Number(requests), seconds: Number(count) * (unitSeconds[unit] ?? 1) };
  throw new ConfigurationError(`--rate: expected requests per period, such as 100/60s or 1000/h, received ${text}`);
}

/** The time of expiry as ISO text. */
function expiryOf(text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new ConfigurationError(
      `--expires: expected a number of minutes, hours or days, such as 30m, 12h or 90d, received ${text}`,
    );
  }
  return new Date(now.getTime() + Number(count) * (unitSeconds[unit] ?? 1) * 1_000).toISOString();
}

function describeToken({ name, id, access, expiresAt }: TokenRecord): string {
  const expiry = expiresAt === undefined ? "never expires" : `expires ${expiresAt}`;
  return `token ${JSON.stringify(name)} (${id}): ${describeAccess(access)}; ${expiry}`;
}

function day(iso: string): string {
  return iso.slice(0, 10);
}
