import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The built command. `pnpm test` builds before it tests. */
export const command = fileURLToPath(new URL("../../dist/command/cli.js", import.meta.url));

/** The built server of this repository, as a server under test. */
export const toolpacks = fileURLToPath(new URL("../../../../apps/server/dist/cli.js", import.meta.url));

/** Creates a temporary folder with these files. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-cases-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  return directory;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command until it exits, with an empty stdin. */
export function run(args: readonly string[], { cwd = folder(), env = {} }: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [command, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}
