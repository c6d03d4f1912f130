import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "./main.ts";

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
  /** A descriptor that stdout writes to. */
  readonly stdoutDescriptor?: number;
}

/** Runs the command until it ends: in this process, with its own folder, variables and output. */
export async function run(
  args: readonly string[],
  { cwd = folder(), env = {}, stdoutDescriptor }: RunOptions = {},
): Promise<Finished> {
  const [before, variables] = [process.cwd(), { ...process.env }];
  const stdout = output();
  const stderr = output();
  const io = {
    args,
    cwd,
    env: process.env,
    stdin: Readable.from([]),
    stdout: Object.assign(stdout.stream, { fd: stdoutDescriptor }),
    stderr: stderr.stream,
    columns: undefined,
    signal: new AbortController().signal,
  };
  process.chdir(cwd);
  Object.assign(process.env, env);
  try {
    const code = await main(io);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, variables);
  }
}

function output() {
  let text = "";
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}
