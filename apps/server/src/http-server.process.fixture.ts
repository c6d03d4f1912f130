import path from "node:path";
import { folder, run } from "./run-cli.fixture.ts";
import { start, type Running } from "./command.process.fixture.ts";

/** A server process that serves HTTP. */
export interface HttpServerProcess {
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly pid: number;
  readonly output: Running["output"];
  /** Sends SIGTERM. Resolves to the exit code. */
  close(): Promise<number | null>;
  /** Ends the process like a crash. */
  kill(): Promise<void>;
}

/** Starts the built server over HTTP. Resolves to the address that it logs. */
export async function startHttp(args: readonly string[]): Promise<HttpServerProcess> {
  const { child, output, ended } = start(["--http", "--port", "0", ...args], folder());
  const endWithTests = () => child.kill("SIGKILL");
  process.once("exit", endWithTests);
  void ended.then(() => process.off("exit", endWithTests));
  const url = await Promise.race([
    ended.then(() => Promise.reject(new Error(`the server ended: ${output.stderr}`))),
    new Promise<string>((resolve) => {
      child.stderr.on("data", () => {
        const address = /serving (http:\S+) /.exec(output.stderr)?.[1];
        if (address !== undefined) resolve(address);
      });
    }),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    output,
    close() {
      child.kill();
      return ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Creates a token file with these tokens: the flags of `tokens add` by name. */
export async function tokenFile(
  tokens: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly file: string; readonly tokens: Readonly<Record<string, string>> }> {
  const file = path.join(folder(), "tokens.json");
  const made: Record<string, string> = {};
  for (const [name, flags] of Object.entries(tokens)) {
    const { code, stdout, stderr } = await run(["tokens", "add", name, "--file", file, ...flags]);
    if (code !== 0) throw new Error(stderr);
    made[name] = stdout.trim();
  }
  return { file, tokens: made };
}
