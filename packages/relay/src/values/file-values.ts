import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, readFile, rm, stat, utimes, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { errorText, ToolError } from "@toolpacks/core";
import { makePrivateFolder, readPrivateFile, writeAtomically } from "@toolpacks/files";
import { clipRange, createMeasure, isValueId, wholeBytes, type ValueInfo, type ValueInput } from "@toolpacks/store";
import { checkSize, createLimits, valueNotFound, overdue, unfinishedMs, type Aged, type Limits } from "./limits.ts";
import { plainType } from "./plain-type.ts";
import type { RelayLimits, RelayValues } from "./relay-values.ts";
import { contentId, hashValue } from "./content-id.ts";

export interface FileValuesOptions extends RelayLimits {
  /** Created if missing, readable by this user only. Several processes may share it. */
  readonly directory: string;
  /** One scope cannot open the values of another. Default: one scope for the directory. */
  readonly scope?: string;
}

const defaultMaxBytes = 2 * 1024 * 1024 * 1024;
/** Length of the header with the value's info, in bytes. */
const headerLength = 512;

/**
 * Stores each value in a file. A value is written to a temporary file and renamed when complete. Streams are never fully in
 * memory. `maxBytes` defaults to 2 GiB.
 */
export function fileValues({ directory, scope = "", ...options }: FileValuesOptions): RelayValues {
  const limits = createLimits(options, defaultMaxBytes);
  const folder = path.join(directory, createHash("sha256").update(scope).digest("hex").slice(0, 32));
  let secret: Promise<Uint8Array> | undefined;
  const ready = () =>
    (secret ??= scopeSecret(folder).catch((error: unknown) => {
      secret = undefined;
      throw storageError(directory, error);
    }));
  const place = (id: string) => path.join(folder, id);
  const values: RelayValues = {
    async put(value) {
      const input = { ...value, mimeType: plainType(value.mimeType, value.text) };
      const key = await ready();
      const whole = wholeBytes(input.data);
      if (whole !== undefined) {
        checkSize(whole.length, limits);
        const known = await renew(values, folder, contentId(hashValue(key, input).update(whole)));
        if (known !== undefined) return known;
      }
      const data = whole === undefined ? (input.data as AsyncIterable<Uint8Array>) : [whole];
      const info = await write({ ...input, data }, { folder, key, limits }).catch((error: unknown) => {
        throw ToolError.is(error) ? error : storageError(directory, error);
      });
      // Not awaited. The next sweep removes what this one leaves.
      if (limits.isSweepDue(info.size)) void values.sweep().catch(() => {});
      return info;
    },
    async info(id) {
      return isValueId(id) ? readHeader(place(id), id, limits) : undefined;
    },
    async *read(id, range = {}) {
      const info = await values.info(id);
      if (info === undefined) throw valueNotFound(id);
      const { start, end } = clipRange(range, info.size);
      if (start === end) return;
      const stream = createReadStream(place(id), { start: headerLength + start, end: headerLength + end - 1 });
      try {
        for await (const chunk of stream) yield chunk as Uint8Array;
      } catch (error) {
        if (isMissing(error)) throw valueNotFound(id);
        throw error;
      }
    },
    sweep: () => sweepFolders(directory, limits),
  };
  return values;
}

/** Renews the age of an existing value and returns its info. */
async function renew(values: RelayValues, folder: string, id: string): Promise<ValueInfo | undefined> {
  const known = await values.info(id);
  if (known === undefined) return undefined;
  const now = new Date();
  return utimes(path.join(folder, id), now, now).then(
    () => known,
    () => undefined,
  );
}

interface WriteTarget {
  readonly folder: string;
  readonly key: Uint8Array;
  readonly limits: Limits;
}

async function write(
  {
    data,
    mimeType,
    text,
  }: Omit<ValueInput, "data"> & { readonly data: Iterable<Uint8Array> | AsyncIterable<Uint8Array> },
  { folder, key, limits }: WriteTarget,
): Promise<ValueInfo> {
  const hash = hashValue(key, { mimeType, text });
  const measure = createMeasure(text);
  const writeValue = async (file: FileHandle): Promise<ValueInfo> => {
    await file.writeFile(Buffer.alloc(headerLength));
    for await (const chunk of data) {
      hash.update(chunk);
      measure.add(chunk);
      checkSize(measure.size, limits);
      // `writeFile` writes all bytes or fails; `write` may write fewer on a full disk.
      await file.writeFile(chunk);
    }
    const { size, characters, lines } = measure;
    const info = { id: contentId(hash), mimeType, text, size, characters, lines };
    await file.write(Buffer.from(JSON.stringify(info).padEnd(headerLength)), 0, headerLength, 0);
    return info;
  };
  const directory = { at: (name: string) => path.join(folder, name), sync: async () => {} };
  // A value may be lost in a power failure: a truncated file is not a value.
  return writeAtomically({ directory, name: ({ id }) => id }, writeValue, { mode: 0o600, flush: false });
}

async function readHeader(file: string, id: string, { maxAgeMs }: Limits): Promise<ValueInfo | undefined> {
  const opened = await open(file, "r").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (opened === undefined) return undefined;
  try {
    const { mtimeMs, size } = await opened.stat();
    if (mtimeMs < Date.now() - maxAgeMs) return undefined;
    const { buffer } = await opened.read(Buffer.alloc(headerLength), 0, headerLength, 0);
    const info = JSON.parse(buffer.toString()) as ValueInfo;
    // A truncated file is not a value.
    return size === headerLength + info.size && info.id === id ? info : undefined;
  } catch {
    return undefined;
  } finally {
    await opened.close();
  }
}

/** The secret of a scope. The first process creates it; the others read it. */
async function scopeSecret(folder: string): Promise<Uint8Array> {
  makePrivateFolder(folder);
  const file = path.join(folder, "secret");
  const known = await readPrivateFile(file).catch(() => undefined);
  if (known !== undefined) return known;
  await writeAtomically(file, randomBytes(32), { mode: 0o600, overwrite: false }).catch((error: unknown) => {
    if (!isCode(error, "EEXIST")) throw error;
  });
  return readFile(file);
}

interface Found extends Aged {
  readonly file: string;
}

async function sweepFolders(directory: string, limits: Limits): Promise<void> {
  const folders = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found: Found[] = [];
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    for (const name of await readdir(path.join(directory, folder.name)).catch(() => [])) {
      const file = path.join(directory, folder.name, name);
      const known = await stat(file).catch(() => undefined);
      if (known === undefined) continue;
      if (isValueId(name)) found.push({ file, size: known.size - headerLength, at: known.mtimeMs });
      else if (name.endsWith(".tmp") && known.mtimeMs < Date.now() - unfinishedMs) await rm(file, { force: true });
    }
  }
  const newestFirst = found.sort((one, other) => other.at - one.at);
  for (const { file } of overdue(newestFirst, limits)) await rm(file, { force: true });
}

function storageError(directory: string, error: unknown): ToolError {
  const cause = errorText(error);
  return new ToolError("unavailable", `relay: values cannot be kept in ${directory}: ${cause}`);
}

function isMissing(error: unknown): boolean {
  return isCode(error, "ENOENT");
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
