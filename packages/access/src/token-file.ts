import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";
import { ConfigurationError, describeIssues, errorText, isObject, ToolError } from "@toolpacks/core";
import { fileError, withFileLock, writeAtomically } from "@toolpacks/files";
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
  /** The version of the file that was read: another version has another stamp. */
  readonly stamp: string;
}

/** The file exists, but its content or its permissions are invalid. */
export class DamagedTokenFile extends ConfigurationError {
  readonly stamp: string;
  constructor(message: string, stamp: string) {
    super(message);
    this.stamp = stamp;
  }
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

/** The parts of a file's status that change with its content, its permissions or its replacement. */
export function stampOf(stats: { readonly [Key in "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs"]: bigint }): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}

/**
 * Reads a token file. Owner and permissions are those of the bytes that are read.
 *
 * @throws DamagedTokenFile for a file that other users may write to, or that has wrong content; the message names the place and what is expected
 * @throws the error of the file system when the file cannot be opened
 */
export async function readTokenFile(file: string): Promise<TokenFile> {
  // Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has no such flag.
  const opened = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await opened.stat({ bigint: true });
    const stamp = stampOf(stats);
    if (!stats.isFile()) throw new DamagedTokenFile(`${file}: not a regular file`, stamp);
    if (stats.size > maxBytes) throw new DamagedTokenFile(`${file}: larger than ${maxBytes} bytes`, stamp);
    const warnings = checkOwner(file, { uid: Number(stats.uid), mode: Number(stats.mode), stamp });
    const tokens = parseTokens(file, { text: await opened.readFile("utf8"), stamp });
    return { tokens, warnings, stamp };
  } finally {
    await opened.close();
  }
}

const writableByOthers = 0o022;
const readableByGroup = 0o040;
const readableByAll = 0o004;

interface Owner {
  readonly uid: number;
  readonly mode: number;
  readonly stamp: string;
}

/** @returns warnings about users who can read the file. @throws DamagedTokenFile when other users can write to it */
function checkOwner(file: string, { uid, mode, stamp }: Owner): readonly string[] {
  const user = process.geteuid?.();
  if (user === undefined) return [];
  const fix = `run: chmod 600 ${file}`;
  if (uid !== user && uid !== 0) {
    throw new DamagedTokenFile(`${file}: belongs to another user, who can give themselves access`, stamp);
  }
  if ((mode & writableByOthers) !== 0) {
    throw new DamagedTokenFile(`${file}: other users may write to it and give themselves access; ${fix}`, stamp);
  }
  // A file of root that the server may read by its group, such as a secret that Kubernetes mounts, has no stricter mode.
  const readableByOthers = uid === user ? readableByGroup | readableByAll : readableByAll;
  return (mode & readableByOthers) === 0 ? [] : [`${file}: other users can read the names and rights in it; ${fix}`];
}

function parseTokens(file: string, { text, stamp }: { text: string; stamp: string }): readonly TokenRecord[] {
  const value = parseText(file, { text, stamp });
  if (!isObject(value)) throw new DamagedTokenFile(`${file}: expected {"tokens": […]}`, stamp);
  const parsed = fileSchema.safeParse(value, { jitless: true });
  if (!parsed.success) {
    throw new DamagedTokenFile(`${file}: ${describeIssues(parsed.error.issues, fileSchema)}`, stamp);
  }
  const { tokens } = parsed.data;
  for (const field of ["id", "name"] as const) {
    const places = new Map<string, number>();
    for (const [at, token] of tokens.entries()) {
      const first = places.get(token[field]);
      if (first !== undefined) {
        throw new DamagedTokenFile(`${file}: tokens[${at}].${field}: the same as tokens[${first}].${field}`, stamp);
      }
      places.set(token[field], at);
    }
  }
  return tokens;
}

function parseText(file: string, { text, stamp }: { text: string; stamp: string }): unknown {
  const errors: ParseError[] = [];
  let value: unknown;
  try {
    value = parse(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) throw new DamagedTokenFile(`${file}: nested too deeply`, stamp);
    throw error;
  }
  const [first] = errors;
  if (first === undefined) return value;
  const lines = text.slice(0, first.offset).split("\n");
  const place = `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  throw new DamagedTokenFile(`${file}:${place}: not valid JSON (${printParseErrorCode(first.error)})`, stamp);
}

/** Reads the tokens of a file. A file that does not exist has none. @throws ToolError when it cannot be opened; ConfigurationError when it is damaged */
export async function readTokens(file: string): Promise<readonly TokenRecord[]> {
  try {
    return (await readTokenFile(file)).tokens;
  } catch (error) {
    if (isMissing(error)) return [];
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

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The subject of a token, as records and logs show it, such as `anna-fe724d6b`. Another token of the same name is another subject. */
export function tokenSubject({ id, name }: Pick<TokenRecord, "id" | "name">): string {
  return `${name}-${id.slice(0, 8)}`;
}
