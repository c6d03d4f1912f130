import { existsSync } from "node:fs";
import path from "node:path";
import { ConfigurationError, describeIssues, nearest, ToolError, type Grant } from "@toolpacks/core";
import { type Io, print, printError, printJson, printTable, shellQuote } from "@toolpacks/terminal";
import { type Access, accessSchema, type Rate } from "./access.ts";
import { describeAccess } from "./describe-access.ts";
import { changeTokens, isExpired, isTokenName, readTokens, type TokenRecord } from "./token-file.ts";
import { createToken } from "./token.ts";

/** Where the commands find the tokens, and how their messages name the program. */
export interface TokenPlace {
  readonly file: string;
  /** The program, whose commands are `<program> tokens add`, `list`, `rotate` and `revoke`. */
  readonly program: string;
}

export interface NewToken extends Grant {
  readonly name: string;
  readonly root?: readonly string[];
  readonly workspaces?: readonly string[];
  /** Requests per period, such as `100/60s`. */
  readonly rate?: string;
  /** Time until the token expires, such as `90d`. */
  readonly expires?: string;
}

/** Creates a token. Only the token goes to stdout, so that it can be piped. */
export async function addToken(io: Io, { file, program }: TokenPlace, { name, ...rights }: NewToken): Promise<void> {
  if (!isTokenName(name)) {
    throw new ConfigurationError("name: expected 1 to 100 printable characters that are not the form of an id");
  }
  const access = accessOf(io, rights);
  const now = new Date();
  const { token, ...secret } = createToken();
  const expiresAt = expiryOf(rights.expires, now);
  const record = { ...secret, name, access, createdAt: now.toISOString(), ...(expiresAt && { expiresAt }) };
  await changeTokens(file, (tokens) => {
    if (tokens.every((one) => one.name !== name)) return [...tokens, record];
    throw new ToolError(
      "conflict",
      `there is already a token with the name ${JSON.stringify(name)}`,
      `Choose another name, or give it a new secret: ${program} tokens rotate ${shellQuote(name)}`,
    );
  });
  print(io, token);
  printError(
    io,
    `created ${describeToken(record)}`,
    "The token is shown only now. The file has its hash.",
    ...missingRoots(access),
    `To use it: ${program} serve --http --tokens ${shellQuote(file)}`,
  );
}

/** Shows the tokens without secrets and hashes. */
export async function listTokens(io: Io, { file }: TokenPlace, json = false): Promise<void> {
  const tokens = await readTokens(file);
  const now = Date.now();
  if (json) {
    const shown = tokens.map(({ hash: _hash, ...token }) => ({ ...token, isExpired: isExpired(token, now) }));
    return printJson(io, shown, 2);
  }
  if (tokens.length === 0) return print(io, `no tokens in ${file}`);
  const rows = tokens.map((token) => {
    const { name, id, access, createdAt, expiresAt } = token;
    const expiry = expiresAt === undefined ? "never" : `${day(expiresAt)}${isExpired(token, now) ? " (expired)" : ""}`;
    return [name, id, day(createdAt), expiry, describeAccess(access)];
  });
  const titles = ["name", "id", "created", "expires", "rights"];
  printTable(io, { columns: titles.map((title) => ({ title })), rows });
}

/** Replaces the secret of a token, which its name or id names. Id and rights stay, so the caller keeps its records. */
export async function rotateToken(
  io: Io,
  place: TokenPlace,
  { named, expires }: { readonly named: string; readonly expires?: string },
): Promise<void> {
  const now = new Date();
  const expiresAt = expiryOf(expires, now);
  let token = "";
  const record = await changeToken(place, named, (old) => {
    if (expiresAt === undefined && isExpired(old, now.getTime())) {
      throw new ConfigurationError(`--expires: required, because the token has expired on ${day(old.expiresAt ?? "")}`);
    }
    const secret = createToken(old.id);
    ({ token } = secret);
    return { ...old, hash: secret.hash, createdAt: now.toISOString(), ...(expiresAt && { expiresAt }) };
  });
  print(io, token);
  printError(io, `new secret of ${describeToken(record)}`, "Running servers refuse the old token within a second.");
}

/** Removes a token, which its name or id names. */
export async function revokeToken(io: Io, place: TokenPlace, named: string): Promise<void> {
  const { name, id } = await changeToken(place, named, () => undefined);
  print(io, `revoked ${JSON.stringify(name)} (${id}); running servers refuse it within a second`);
}

/** Changes or removes a token. Resolves with the changed token, or the removed one. @throws ToolError `not_found` */
async function changeToken(
  { file, program }: TokenPlace,
  named: string,
  change: (old: TokenRecord) => TokenRecord | undefined,
): Promise<TokenRecord> {
  let result: TokenRecord | undefined;
  await changeTokens(file, (tokens) => {
    const old = tokens.find(({ id, name }) => id === named || name === named);
    if (old === undefined) throw noToken(tokens, named, program);
    const changed = change(old);
    result = changed ?? old;
    return tokens.flatMap((one) => (one === old ? (changed ?? []) : one));
  });
  return result as TokenRecord;
}

function noToken(tokens: readonly TokenRecord[], named: string, program: string): ToolError {
  const names = tokens.map(({ name }) => name);
  const [near] = nearest(named, names);
  const question = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  const message = `there is no token ${JSON.stringify(named)}${question}`;
  return new ToolError("not_found", message, `${program} tokens list shows them.`);
}

/** The rights of a new token. @throws ConfigurationError naming the flag and what is expected */
function accessOf({ cwd }: Io, { facets, tools, readOnly, root, workspaces, rate }: Omit<NewToken, "name">): Access {
  for (const [flag, names] of Object.entries({ facets, tools, workspaces })) {
    if (names?.length === 0) throw new ConfigurationError(`--${flag}: expected at least one name`);
  }
  const roots = root?.map((one) => path.resolve(cwd, one));
  const parsed = accessSchema.safeParse({ facets, tools, readOnly, roots, workspaces, rate: rateOf(rate) });
  if (!parsed.success) throw new ConfigurationError(describeIssues(parsed.error.issues, accessSchema));
  return parsed.data;
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

function expiryOf(text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    return new Date(now.getTime() + Number(count) * (unitSeconds[unit] ?? 1) * 1_000).toISOString();
  }
  throw new ConfigurationError(
    `--expires: expected a number of minutes, hours or days, such as 30m, 12h or 90d, received ${text}`,
  );
}

function describeToken({ name, id, access, expiresAt }: TokenRecord): string {
  const expiry = expiresAt === undefined ? "never expires" : `expires ${expiresAt}`;
  return `token ${JSON.stringify(name)} (${id}): ${describeAccess(access)}; ${expiry}`;
}

function day(iso: string): string {
  return iso.slice(0, 10);
}
