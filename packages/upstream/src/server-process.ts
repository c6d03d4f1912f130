import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import spawn from "cross-spawn";
import { folderError, spawnError } from "./start-error.ts";
import { watchdog } from "./watchdog.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  /** `inherit`: it writes to ours. */
  readonly stderr: "pipe" | "inherit";
}

/** How a process ended: by itself, or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a process may take to end once its input has, before it is told to; and then before it is made to. */
const patienceMs = 1_000;

/** Every process that was started and has not ended, so that none outlives this one. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  running.forEach((child) => signalGroup(child, "SIGKILL"));
  watchdog.end();
});

const hasGroups = process.platform !== "win32";

/** A server in a process group of its own, which ends as a whole: what `npx` starts too. */
export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Null where it is inherited. */
  readonly stderr: Readable | null;
  /** Resolves when it has ended, whatever of its output is still unread. */
  readonly ended: Promise<ProcessEnd>;
  /** Resolves when its output is read to the end as well. */
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.stdin = child.stdin as Writable;
    this.stdout = child.stdout as Readable;
    this.stderr = child.stderr;
    this.ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
    this.closed = new Promise((resolve) => child.once("close", () => resolve()));
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** @throws StartError, from the promise, when there is no such program or folder */
  static start({ command, args, env, cwd, stderr }: ServerCommand): Promise<ServerProcess> {
    // Node would say that the program is not there.
    const wrongFolder = cwd === undefined ? undefined : folderError(cwd);
    if (wrongFolder !== undefined) return Promise.reject(wrongFolder);
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env,
        stdio: ["pipe", "pipe", stderr],
        detached: hasGroups,
        windowsHide: true,
        ...(cwd !== undefined && { cwd }),
      });
      running.add(child);
      const { pid } = child;
      if (hasGroups && pid !== undefined) watchdog.watch(pid);
      child.once("error", (error) => {
        running.delete(child);
        reject(spawnError(command, error));
      });
      child.once("exit", () => {
        // A helper that it leaves behind would hold its pipes open.
        signalGroup(child, "SIGKILL");
        running.delete(child);
        if (pid !== undefined) watchdog.forget(pid);
      });
      const started = new ServerProcess(child);
      child.once("spawn", () => resolve(started));
    });
  }

  /** To everything that it has started, too. */
  signal(signal: NodeJS.Signals): void {
    signalGroup(this.#child, signal);
  }

  /** Ends its input, and some time later itself. */
  async close(waitMs = patienceMs): Promise<void> {
    this.stdin.end();
    if (await within(this.ended, waitMs)) return;
    this.signal("SIGTERM");
    if (await within(this.ended, patienceMs)) return;
    this.signal("SIGKILL");
    await within(this.ended, patienceMs);
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group is gone already.
  }
}

async function within(ended: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const first = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return first;
}
