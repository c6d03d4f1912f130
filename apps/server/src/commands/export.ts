import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ToolError, type OwnedStore } from "@toolpacks/core";
import { settle, type Flags } from "../config/settings.ts";
import { openStore } from "../store.ts";

/**
 * `toolpacks export [file]`: everything in the store, one JSON object per line. With `--graph`, what is known in the workspace, as the
 * official memory server keeps it.
 */
export async function exportStore(file: string | undefined, flags: Flags & { graph?: boolean }): Promise<void> {
  const store = await openStore(await settle(flags, process.env, process.cwd()));
  let records = 0;
  async function* graphLines(from: OwnedStore): AsyncGenerator<string> {
    const { exportGraph } = await import("@toolpacks/memory");
    for await (const line of exportGraph(from)) {
      records += 1;
      yield `${line}\n`;
    }
  }
  async function* archiveLines(from: OwnedStore): AsyncGenerator<string> {
    for await (const line of from.export()) {
      if ("id" in line) records += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  const lines = flags.graph === true ? graphLines : archiveLines;
  try {
    const isStdout = file === undefined || file === "-";
    const target = isStdout ? process.stdout : createWriteStream(file, { flags: "wx", mode: 0o600 });
    await pipeline(Readable.from(lines(store)), target, { end: !isStdout });
    process.stderr.write(`${records} records exported\n`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new ToolError("conflict", `${file}: there is a file of that name`, "Name a new one.");
    }
    throw error;
  } finally {
    await store.end();
  }
}
