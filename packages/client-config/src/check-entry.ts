import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorText } from "@toolpacks/core";
import { upstream } from "@toolpacks/upstream";
import { checkBlock } from "@toolpacks/upstream/server-block";
import { readEntries } from "./client-entries.ts";
import type { ClientFile } from "./known-clients.ts";
import type { Machine } from "./machine.ts";

/** Time allowed for the first start of an entry, in seconds. npx may have to download the package. */
const connectSeconds = 120;

/** The number of tools that a server lists, or why it does not answer. */
type Checked = { readonly tools: number } | { readonly problem: string };

interface LocalServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Starts an entry as its client does: with the command, the arguments, the variables and the folder of the entry as it is in the file. The
 * server ends afterwards.
 */
export async function checkEntry(machine: Machine, file: ClientFile, name: string): Promise<Checked> {
  const { environment, startFolder } = file.client;
  const folder = startFolder === "home" ? machine.home : machine.project;
  const state = mkdtempSync(path.join(tmpdir(), "client-check-"));
  try {
    const { block } = readEntries(file).find((one) => one.name === name) ?? {};
    const { options } = checkBlock(block, { here: folder, environment: machine.environment });
    const { command, args = [], env, cwd = folder } = options as Partial<LocalServer>;
    if (command === undefined) return { problem: "its entry has no command" };
    const variables = { ...(environment === "all" && machine.environment), ...env };
    const isText = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;
    const pack = upstream({
      name: "entry",
      command,
      args: [...args],
      env: Object.fromEntries(Object.entries(variables).filter(isText)),
      cwd,
      connectSeconds,
      firstListTimeoutSeconds: connectSeconds,
      cacheDirectory: state,
      dataDirectory: state,
    });
    const { tools, problem } = await pack.check().finally(() => pack.remote.end());
    if (problem === undefined) return { tools };
    return { problem: [problem.message, problem.hint].filter(Boolean).join(". ") };
  } catch (error) {
    return { problem: errorText(error) };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
