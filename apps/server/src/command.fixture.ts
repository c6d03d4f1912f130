import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The built command. `pnpm test` builds before it tests. */
export const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** Creates a temporary folder with these files. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  return directory;
}

/** A third-party pack in plain JavaScript. Its tools print, throw, and wait. */
export const roughPack = `
const tool = (name, run, more = {}) => ({
  name, description: name.replaceAll("_", " ") + ".", mutates: false, effects: {}, keywords: [], examples: [], aliases: [], media: false,
  input: { json: () => ({ type: "object" }), full: () => ({ type: "object" }), check: (value) => ({ ok: true, value }) },
  run, render: JSON.stringify, ...more,
});
const tools = [
  tool("rough_print", () => { console.log("printed by a tool"); return { printed: true }; }),
  tool("rough_throw", () => { throw new Error("inner detail"); }),
  tool("rough_wait", (_, { signal }) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ waited: true }), 20_000);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
  })),
];
export default () => ({ name: "rough", description: "Misbehaves.", budget: 500, kinds: [], withheld: [], tools: async () => tools, registerWith: async () => {} });
`;

/** Environment variables for a server that a client starts: its data folder is not the one of the user who runs the tests. */
export const dataFolder = { XDG_DATA_HOME: process.env["XDG_DATA_HOME"] ?? folder() };

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Commands that find no config file by themselves, so that `--trust` does not apply. */
const withoutTrust = new Set([
  "relay",
  "import-clients",
  "init",
  "hooks",
  "config",
  "trust",
  "tokens",
  "help",
  "version",
  "-v",
  "--version",
  "--help",
  "completion",
]);

/** Adds `--trust`, since the commands find config files that tests write. */
function withTrust(args: readonly string[], isTrusted: boolean): readonly string[] {
  return isTrusted && !withoutTrust.has(args[0] ?? "serve") ? [...args, "--trust"] : args;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether file modes apply to root too. */
  readonly obeysModes?: boolean;
  /** Whether a config file that the command finds is trusted. Default true. */
  readonly isTrusted?: boolean;
}

/** Starts a command as root without the right to bypass file modes. Another user could not read the command in a private folder. */
const setpriv = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"];

/** Runs the command until it exits, with an empty stdin. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { cwd = folder(), env = {}, obeysModes = false, isTrusted = true } = options;
  const prefix = obeysModes && process.getuid?.() === 0 ? setpriv : [];
  const [command = "", ...rest] = [...prefix, process.execPath, cli, ...withTrust(args, isTrusted)];
  return new Promise((resolve) => {
    const child = execFile(command, rest, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Starts the server as a process that the test writes to directly, without a client library. */
export function start(args: readonly string[], cwd = folder(), { detached = false, isTrusted = true } = {}): Running {
  const child = spawn(process.execPath, [cli, ...withTrust(args, isTrusted)], { cwd, detached });
  // Writing to a server that has exited is not a test failure.
  child.stdin.on("error", () => {});
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return {
    child,
    output,
    ended,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async answer(id) {
      for (;;) {
        const line = output.stdout.split("\n").find((one) => one.includes(`"id":${id}`));
        if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
        if (child.exitCode !== null) throw new Error(`the server ended: ${output.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number | null>;
  send(message: object): void;
  answer(id: number): Promise<Record<string, unknown>>;
}

/** The `initialize` request of a client of the 2025 protocols. */
export const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
