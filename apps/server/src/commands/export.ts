import { once } from "node:events";
import { newFile } from "@toolpacks/command-line";
import { type OwnedStore, ConfigurationError } from "@toolpacks/core";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { type Io, printError, writeOutput } from "@toolpacks/terminal";
import { openStore, requireStore } from "../stores/open-store.ts";

/**
 * `toolpacks export [file]`: writes all records of the store, one JSON object per line. With `--graph`, writes the knowledge of one workspace in
 * the format of the official memory server.
 */
export async function exportStore(io: Io, flags: Flags & { graph?: boolean }, file: string | undefined): Promise<void> {
  if (flags.workspace !== undefined && flags.graph !== true) {
    throw new ConfigurationError("--workspace: requires --graph; without --graph, every workspace is exported");
  }
  const settings = await readSettings(io, flags);
  requireStore(settings.store);
  const store = await openStore(settings);
  let records = 0;
  async function* graphLines(from: OwnedStore): AsyncGenerator<string> {
    const { exportGraph } = await import("@toolpacks/memory/transfer");
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
    if (file === undefined || file === "-") {
      for await (const line of lines(store)) if (!writeOutput(io, line)) await once(io.stdout, "drain");
    } else {
      await newFile(file, lines(store), io.cwd);
    }
    printError(io, `${records} records exported`);
  } finally {
    await store.end();
  }
}
