import type { FileHandle } from "node:fs/promises";
import {
  defineTool,
  detail,
  renderFailure,
  reply,
  ToolError,
  type ContentBlock,
  type Reply,
  quoteName,
} from "@toolpacks/core";
import { globHint, pathField } from "@toolpacks/files";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { findFiles } from "./find-files.ts";
import { jsonRows, renderJsonRows } from "./json-rows.ts";
import { detectType, readText, type LineRange } from "./text-file.ts";

const line = z.int().min(1);

const input = z.object({
  path: pathField.optional().meta(detail("file; with glob the folder")),
  startLine: line.optional().describe("from 1"),
  endLine: line.optional().meta(detail("inclusive")),
  tail: line.optional().describe("last lines only"),
  paths: z.array(pathField).max(50).optional().meta(detail("several files")),
  glob: z.string().min(1).max(1000).optional().describe("all such files, below path"),
  fields: z.array(z.string().min(1).max(200)).min(1).max(50).optional().describe("of JSON files: these as rows"),
});

const slice = z.object({
  path: z.string(),
  text: z.string().optional(),
  startLine: z.int().optional(),
  endLine: z.int().optional(),
  totalLines: z.int().optional().describe("absent for a file too large to count"),
  more: z.boolean().optional().describe("the read is cut: lines that were asked for follow endLine"),
  image: z.string().optional().describe("MIME type"),
  error: z.string().optional(),
});

const output = z.object({
  files: z.array(slice),
  items: z
    .array(z.looseObject({ path: z.string() }))
    .optional()
    .describe("with fields: one for each file"),
  hint: z.string().optional(),
});

/** Maximum number of files of a glob, whole and with `fields`. */
const maxFiles = 50;
const maxRowFiles = 500;

/** A file of the result, with the data of an image. */
interface Read {
  readonly file: z.output<typeof slice>;
  readonly image?: { readonly data: string; readonly mimeType: string };
}

/** `fs_read`: reads text by lines, and images. */
export function fsRead(context: FilesystemContext) {
  return defineTool({
    name: "fs_read",
    description: "Read a text file, whole or by lines, or an image.",
    keywords: ["open", "show", "view", "cat", "head", "contents", "first lines"],
    examples: [
      { say: "the first 20 lines of the readme", args: { path: "README.md", endLine: 20 } },
      {
        say: "names and descriptions of all packages",
        args: { glob: "packages/**/package.json", fields: ["name", "description"] },
      },
    ],
    mutates: false,
    media: true,
    input,
    output,
    text: ({ files, items, hint }) => {
      const parts = items === undefined ? files.map((file) => render(file, files.length > 1)) : [renderJsonRows(items)];
      return [...parts, ...(hint === undefined ? [] : [hint])].join("\n\n");
    },
    handler: async ({ path, paths = [], glob, fields, ...range }, { signal }) => {
      const { wanted, hint } = await wantedFiles(context, { path, paths, glob, isRows: fields !== undefined, signal });
      const [only] = wanted;
      if (fields !== undefined) return { files: [], items: await jsonRows(context, wanted, { fields, signal }), hint };
      if (only === undefined) return { files: [], hint };
      if (wanted.length === 1) return answer([await read(context, only, { range, signal })], hint);
      const reads: Read[] = [];
      let left = context.maxReadBytes;
      for (const one of wanted) {
        const next = await readOrReport({ ...context, maxReadBytes: left }, one, { range, signal });
        left -= Buffer.byteLength(next.file.text ?? "");
        reads.push(next);
      }
      return answer(reads, hint);
    },
  });
}

interface Wanted {
  readonly path: string | undefined;
  readonly paths: readonly string[];
  readonly glob: string | undefined;
  readonly isRows: boolean;
  readonly signal: AbortSignal;
}

/** The files that a request names, and those that its glob matches. */
async function wantedFiles(
  context: FilesystemContext,
  { path, paths, glob, isRows, signal }: Wanted,
): Promise<{ readonly wanted: readonly string[]; readonly hint?: string }> {
  if (glob === undefined) {
    const wanted = [...new Set([...(path === undefined ? [] : [path]), ...paths])];
    if (wanted.length > 0) return { wanted };
    throw new ToolError("invalid_input", "path: required (or paths or glob, for several files)");
  }
  const max = isRows ? maxRowFiles : maxFiles;
  const found = await findFiles(context, { path: path ?? ".", glob, maxFiles: max, signal });
  const wanted = [...new Set([...paths, ...found.paths])];
  if (found.isCut)
    return { wanted, hint: `(the first ${found.paths.length} files; narrow glob or path for the others)` };
  if (wanted.length > 0) return { wanted };
  return { wanted, hint: globHint(path, [glob]) ?? "none: no file matches the glob" };
}

interface ReadOptions {
  readonly range: LineRange;
  readonly signal: AbortSignal;
}

async function read(
  { roots, maxReadBytes }: FilesystemContext,
  path: string,
  { range, signal }: ReadOptions,
): Promise<Read> {
  let result: Read = { file: { path } };
  await roots.openFile(path, async (file, { size }, shown) => {
    signal.throwIfAborted();
    const image = await readImage(file, size, shown);
    result =
      image === undefined
        ? { file: { path: shown, ...(await readText({ file, size, shown, range, maxBytes: maxReadBytes, signal })) } }
        : { file: { path: shown, image: image.mimeType }, image };
  });
  return result;
}

/** MIME types of images that models accept. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const maxImageBytes = 5 * 1024 * 1024;
const signatureBytes = 4096;

/** The first bytes of these image types, in hex. Other files are not checked further. */
const signatures = ["89504e47", "ffd8ff", "47494638", "52494646"];

/** Reads an image's data; undefined if the file is not an image that models accept. */
async function readImage(file: FileHandle, size: number, shown: string): Promise<Read["image"]> {
  const start = Buffer.alloc(Math.min(size, signatureBytes));
  await file.read(start, 0, start.length, 0);
  const head = start.subarray(0, 4).toString("hex");
  if (!signatures.some((signature) => head.startsWith(signature))) return undefined;
  const mimeType = await detectType(start);
  if (mimeType === undefined || !imageTypes.has(mimeType)) return undefined;
  if (size > maxImageBytes) {
    throw new ToolError("too_large", `${shown}: an image of ${size} bytes; at most ${maxImageBytes} can be shown`);
  }
  const data = Buffer.alloc(size);
  await file.read(data, 0, size, 0);
  return { data: data.toString("base64"), mimeType };
}

/** Reads one of several files. A failure becomes the file's `error`, so that the other files are still returned. */
async function readOrReport(context: FilesystemContext, path: string, options: ReadOptions): Promise<Read> {
  if (context.maxReadBytes <= 0)
    return { file: { path, error: "too_large: the result is full; read this file in another call" } };
  try {
    return await read(context, path, options);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { file: { path, error: renderFailure(error) } };
  }
}

function answer(reads: readonly Read[], hint?: string): z.input<typeof output> | Reply {
  const files = reads.map(({ file }) => file);
  const [only] = files;
  const note = files.length === 1 && only !== undefined ? noteOn(only) : "";
  // The note is a separate block, so that a caller can use the file's text without it.
  if (only?.text && note !== "") return reply([textBlock(only.text), textBlock(note)], { files });
  if (reads.every(({ image }) => image === undefined)) return { files, hint };
  return reply(
    reads.flatMap(({ file, image }): ContentBlock[] => {
      const text = image !== undefined && reads.length === 1 ? [] : [textBlock(render(file, true))];
      return image === undefined ? text : [...text, { type: "image", ...image }];
    }),
  );
}

function render(file: z.output<typeof slice>, named: boolean): string {
  const name = named ? `== ${quoteName(file.path)}\n` : "";
  if (file.error !== undefined) return `${name}${file.error}`;
  if (file.text === undefined) return `${name}(${file.image ?? "empty"})`;
  const note = noteOn(file);
  const gap = note === "" || file.text === "" || file.text.endsWith("\n") ? "" : "\n";
  return `${name}${file.text}${gap}${note}`;
}

/** A note that says which part of the file is shown, and how to read on. Empty for a whole file. */
function noteOn({ startLine, endLine, totalLines, more = false }: z.output<typeof slice>): string {
  if (startLine === undefined || endLine === undefined) {
    return more ? "(the end of the file, as much of it as one read answers)" : "";
  }
  if (startLine === 1 && !more && endLine === totalLines) return "";
  const next = more ? `; go on with startLine ${endLine + 1}` : "";
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  return `(${lines}${totalLines === undefined ? "" : ` of ${totalLines}`}${next})`;
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}
