import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { readEntries, type ClientFile } from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { upstream, type UpstreamReport } from "@toolpacks/upstream";
import type { Io } from "@toolpacks/terminal";
import { checkBlock } from "@toolpacks/upstream/server-block";

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
export async function checkEntry({ cwd: current, env: own }: Io, file: ClientFile, name: string): Promise<Checked> {
  const { environment, startFolder } = file.client;
  const folder = startFolder === "home" ? homedir() : current;
  const state = mkdtempSync(path.join(tmpdir(), "toolpacks-init-"));
  try {
    const { options } = checkBlock(readEntries(file).find((one) => one.name === name)?.block, {
      here: folder,
      environment: own,
    });
    const { command, args = [], env = {}, cwd = folder } = options as Partial<LocalServer>;
    if (command === undefined) return { problem: "its entry has no command" };
    const inherited = environment === "all" ? own : {};
    const pack = upstream({
      name: "toolpacks",
      command,
      args: [...args],
      env: definedTexts({ ...inherited, ...env }),
      cwd,
      connectSeconds,
      firstListTimeoutSeconds: connectSeconds,
      cacheDirectory: state,
      dataDirectory: state,
    });
    return resultOf(await pack.check().finally(() => pack.remote.end()));
  } catch (error) {
    return { problem: errorText(error) };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

function resultOf({ tools, problem }: UpstreamReport): Checked {
  if (problem === undefined) return { tools };
  return { problem: [problem.message, problem.hint].filter(Boolean).join(". ") };
}

function definedTexts(texts: Io["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}
