import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectPack, resultText, type PackConnection, type WireCallOptions } from "@toolpacks/testkit";
import { filesystem } from "./filesystem.ts";

/** Creates a temporary folder with files, by their paths below it. */
export async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "filesystem-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** The pack on a real server, called by a real client. */
export interface Wire extends Pick<PackConnection, "close"> {
  /** The text of a result or error. */
  ask(tool: string, args: object, options?: WireCallOptions): Promise<string>;
  /** The structured content of a result. */
  value(tool: string, args: object): Promise<Readonly<Record<string, unknown>>>;
}

export async function onWire(options: Parameters<typeof filesystem>[0]): Promise<Wire> {
  const connection = await connectPack(filesystem(options), "sdk 2, protocol 2026-07-28");
  return {
    ask: async (tool, args, callOptions) => resultText(await connection.callTool(tool, { ...args }, callOptions)),
    value: async (tool, args) => {
      const result = await connection.callTool(tool, { ...args });
      if (result.structuredContent === undefined) throw new Error(resultText(result));
      return result.structuredContent;
    },
    close: () => connection.close(),
  };
}
