import { constants, type Stats } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import { ConfigurationError, describeIssues, errorText, isObject, ToolError } from "@toolpacks/core";
import { fileError, hasCode, withFileLock, writeAtomically } from "@toolpacks/files";
import { printableText } from "@toolpacks/terminal";
import { parse, printParseErrorCode, type ParseError } from "jsonc-parser";
import { z } from "zod";
import { accessSchema } from "./access.ts";

const tokenSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/, "expected 16 hex digits"),
  name: z.string().refine(isTokenName, "expected 1 to 100 printable characters"),
  hash: z.string().regex(/^[0-9a-f]{64}$/, "expected the SHA-256 of a secret in 64 hex digits"),
  access: accessSchema.refine(({ roots = [] }) => roots.every((root) => path.isAbsolute(root)), {
    path: ["roots"],
    message: "expected absolute paths",
  }),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
});

const fileSchema = z.strictObject({ tokens: z.array(tokenSchema).max(10_000) });

/** A token in a token file. The file has the hash of the secret, never the secret. */
export type TokenRecord = z.output<typeof tokenSchema>;

/** The content of a token file. */
export interface TokenFile {
  readonly tokens: readonly TokenRecord[];
  readonly warnings: readonly string[];
}

/** Whether a text is accepted as the name of a token. An id is not, so that a command can name a token by either. */
export function isTokenName(text: string): boolean {
  if (text === "" || text.length > 100 || text.trim() !== text || /^[0-9a-f]{16}$/.test(text)) return false;
  return printableText(text, Infinity) === text;
}

/** Whether a token has expired at a time in ms since 1970. */
export function isExpired({ expiresAt }: Pick<TokenRecord, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

const maxBytes = 4 * 1_048_576;

/**
 * Reads a token file. Owner and permissions are those of the bytes that are read.
 *
 * @throws ConfigurationError for a file that other users may write to, or that has wrong content; the message names the place and what is expected
 * @throws the error of the file system when the file cannot be opened
 */
export async function readTokenFile(file: string): Promise<TokenFile> {
  // Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has no such flag.
  const opened = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await opened.stat();
    if (!stats.isFile()) throw new ConfigurationError(`${file}: not a regular file`);
    if (stats.size > maxBytes) throw new ConfigurationError(`${file}: larger than ${maxBytes} bytes`);
    const warnings = checkOwner(file, stats);
    return { tokens: parseTokens(file, await opened.readFile("utf8")), warnings };
  } finally {
    await opened.close();
  }
}

const writableByOthers = 0o022;
const readableByGroup = 0o040;
const readableByAll = 0o004;

/** @returns warnings about users who can read the file. @throws ConfigurationError when other users can write to it */
function checkOwner(file: string, { uid, mode }: Pick<Stats, "uid" | "mode">): readonly string[] {
  const user = process.geteuid?.();
  if (user === undefined) return [];
  const fix = `run: chmod 600 ${file}`;
  if (uid !== user && uid !== 0) {
    throw new ConfigurationError(`${file}: belongs to another user, who can give themselves access`);
  }
  if ((mode & writableByOthers) !== 0) {
    throw new ConfigurationError(`${file}: other users may write to it and give themselves access; ${fix}`);
  }
  // A file of root that the server may read by its group, such as a secret that Kubernetes mounts, has no stricter mode.
  const readableByOthers = uid === user ? readableByGroup | readableByAll : readableByAll;
  return (mode & readableByOthers) === 0 ? [] : [`${file}: other users can read the names and rights in it; ${fix}`];
}

function parseTokens(file: string, text: string): readonly TokenRecord[] {
  const value = parseText(file, text);
  if (!isObject(value)) throw new ConfigurationError(`${file}: expected {"tokens": […]}`);
  const parsed = fileSchema.safeParse(value, { jitless: true });
  if (!parsed.success) throw new ConfigurationError(`${file}: ${describeIssues(parsed.error.issues, fileSchema)}`);
  const { tokens } = parsed.data;
  for (const field of ["id", "name"] as const) {
    const places = new Map<string, number>();
    for (const [at, token] of tokens.entries()) {
      const first = places.get(token[field]);
      if (first !== undefined) {
        throw new ConfigurationError(`${file}: tokens[${at}].${field}: the same as tokens[${first}].${field}`);
      }
      places.set(token[field], at);
    }
  }
  return tokens;
}

function parseText(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError(`${file}: nested too deeply`);
    throw error;
  }
  const [first] = errors;
  if (first === undefined) return value;
  const lines = text.slice(0, first.offset).split("\n");
  const place = `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  throw new ConfigurationError(`${file}:${place}: not valid JSON (${printParseErrorCode(first.error)})`);
}

/** Reads the tokens of a file. A file that does not exist has none. @throws ToolError when it cannot be opened; ConfigurationError when it is damaged */
export async function readTokens(file: string): Promise<readonly TokenRecord[]> {
  try {
    return (await readTokenFile(file)).tokens;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw fileError(error, file);
  }
}

/**
 * Changes a token file under a lock, so that changes of several processes at once are all kept. Only the owner can access the new file.
 *
 * @param change gets the current tokens and returns the new ones
 */
export async function changeTokens(
  file: string,
  change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  // The target of a link is replaced, not the link.
  const target = await realpath(file).catch(() => file);
  try {
    await withFileLock(`${target}.lock`, async () => {
      const tokens = change(await readTokens(target));
      await writeAtomically(target, `${JSON.stringify({ tokens }, undefined, 2)}\n`, { mode: 0o600 });
    });
  } catch (error) {
    if (error instanceof ConfigurationError || ToolError.is(error)) throw error;
    const known = fileError(error, target);
    if (ToolError.is(known)) throw known;
    throw new ToolError("unavailable", `${target}: cannot be written: ${errorText(error)}`);
  }
}

/** The subject of a token, as records and logs show it, such as `anna-fe724d6b`. Another token of the same name is another subject. */
export function tokenSubject({ id, name }: Pick<TokenRecord, "id" | "name">): string {
  return `${name}-${id.slice(0, 8)}`;
}
