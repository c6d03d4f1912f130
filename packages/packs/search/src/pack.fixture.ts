import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  connectPack,
  describeFolder,
  resultText,
  type ExampleCalls,
  type PackUnderTest,
  type WireCallOptions,
} from "@toolpacks/testkit";
import { search } from "./search.ts";

/** Creates a temporary folder with files, by their paths below it. The caller removes it. */
export async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "search-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** A list in the structured content of a result. */
interface WireList {
  readonly items: readonly Readonly<Record<string, unknown> & { path: string }>[];
  readonly total: number;
  readonly cursor?: string;
  readonly compacted?: boolean;
  readonly partial?: boolean;
  readonly skipped?: readonly { readonly path: string; readonly reason: string }[];
  readonly files?: number;
  readonly hint?: string;
}

/** The pack on a real server, called by a real client. */
export interface Wire {
  /** The text of a result. */
  text(tool: string, args: object, options?: WireCallOptions): Promise<string>;
  /** The structured content of a successful result. */
  value(tool: string, args: object): Promise<WireList>;
  /** The text and the structured content of a successful result. */
  result(tool: string, args: object): Promise<{ readonly text: string; readonly value: WireList }>;
  /** The text of an error. */
  failure(tool: string, args: object): Promise<string>;
  close(): Promise<void>;
}

export async function onWire(options: Parameters<typeof search>[0]): Promise<Wire> {
  const connection = await connectPack(search(options), "sdk 2, protocol 2026-07-28");
  const call = async (
    tool: string,
    args: object,
    { isError, ...callOptions }: WireCallOptions & { isError: boolean },
  ) => {
    const result = await connection.callTool(tool, { ...args }, callOptions);
    if ((result.isError === true) !== isError) throw new Error(resultText(result));
    return result;
  };
  return {
    text: async (tool, args, callOptions) => resultText(await call(tool, args, { ...callOptions, isError: false })),
    value: async (tool, args) => (await call(tool, args, { isError: false })).structuredContent as unknown as WireList,
    result: async (tool, args) => {
      const result = await call(tool, args, { isError: false });
      return { text: resultText(result), value: result.structuredContent as unknown as WireList };
    },
    failure: async (tool, args) => resultText(await call(tool, args, { isError: true })),
    close: () => connection.close(),
  };
}

/** The pack on a temporary folder with a file of each type, and a secret file outside its root. */
export async function searchUnderTest(): Promise<PackUnderTest> {
  const outside = await folderOf({
    "secret.txt": "secret handler\n",
    "root/README.md": "# Title\n\nHow to use the handler.\n",
    "root/src/server.ts": "export class Server {\n  async start() {\n    await this.listen(80);\n  }\n}\n",
    "root/src/tool.py": "def handler(event):\n    return event\n",
    "root/.gitignore": "ignored/\n",
    "root/ignored/handler.ts": "handler();\n",
    "root/image.bin": Buffer.from([0, 1, 2, 104]),
  });
  await symlink(outside, path.join(outside, "root", "escape"));
  return {
    pack: search({ roots: [path.join(outside, "root")] }),
    fingerprint: () => describeFolder(outside),
    dispose: () => rm(outside, { recursive: true, force: true }),
  };
}

/** Calls that succeed on these files. */
export const searchExamples: ExampleCalls = {
  search_text: [
    { pattern: "handler" },
    { pattern: "Handler", case: "insensitive", literal: true, word: true, context: 1, limit: 1 },
    { pattern: "handler", mode: "files", globs: ["*.py"] },
    { pattern: "e", mode: "count", types: ["ts"], ignored: true, hidden: true },
    { pattern: "start.*\\n.*listen", multiline: true, path: "src/server.ts" },
  ],
  search_files: [{}, { fuzzy: "srv" }, { glob: "**/*.ts", limit: 1 }],
  search_code: [{ pattern: "await $F($$$)", language: "typescript" }],
  search_symbols: [{}, { name: "Server.start" }, { path: "src/tool.py" }, { name: "handler", references: true }],
};
