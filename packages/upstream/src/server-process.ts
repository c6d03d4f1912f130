import { spawn as spawnPlain, type ChildProcess } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { withTimeout } from "@toolpacks/core";
import spawn from "cross-spawn";
import { folderError, spawnError } from "./start-error.ts";
import { watchdog } from "./watchdog.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  /** `inherit`: it writes to our stderr. */
  readonly stderr: "pipe" | "inherit";
}

/** The exit code or signal of a process. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Time allowed for a process to end after its input has ended, then after SIGTERM, then after SIGKILL, in ms each. */
const stepTimeoutMs = 1_000;

/** Processes that are running. All are killed when this process exits. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  running.forEach((child) => signalGroup(child, "SIGKILL"));
  watchdog.end();
});

const hasGroups = process.platform !== "win32";

/**
 * A server in its own process group, which also contains what `npx` starts. The group is ended as a whole. Windows has no groups: there, a server is
 * ended with the processes that descend from it, without a signal before.
 */
export class ServerProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Null if it is inherited. */
  readonly stderr: Readable | null;
  /** Resolves when the process has ended. Its output may still be unread. */
  readonly ended: Promise<ProcessEnd>;
  /** Resolves when its output has been read to the end as well. */
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
    // Node would report that the program is missing.
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
        // A process that it left behind would keep the pipes open.
        signalGroup(child, "SIGKILL");
        running.delete(child);
        if (pid !== undefined) watchdog.forget(pid);
      });
      const started = new ServerProcess(child);
      child.once("spawn", () => resolve(started));
    });
  }

  /** Signals the whole process group. */
  signal(signal: NodeJS.Signals): void {
    signalGroup(this.#child, signal);
  }

  /** Ends the input, then sends SIGTERM and SIGKILL if the process does not end. */
  async close(waitMs = stepTimeoutMs): Promise<void> {
    this.stdin.end();
    if (await resolvesWithin(this.ended, waitMs)) return;
    this.signal("SIGTERM");
    if (await resolvesWithin(this.ended, stepTimeoutMs)) return;
    this.signal("SIGKILL");
    await resolvesWithin(this.ended, stepTimeoutMs);
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (hasGroups) process.kill(-child.pid, signal);
    else if (child.exitCode === null && child.signalCode === null) endProcessTree(child.pid);
  } catch {
    // The group has already ended.
  }
}

function resolvesWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  return withTimeout(
    ended.then(() => true),
    { ms, onTimeout: () => false },
  );
}

/** Ends a process and all that descend from it, on Windows. The command also runs to its end if this process exits meanwhile. */
function endProcessTree(pid: number): void {
  const child = spawnPlain(...taskkill(pid, process.env["SystemRoot"]));
  // Without the program, the process has its closed input to notice.
  child.on("error", () => {});
  child.unref();
}

/** @param systemRoot the folder of Windows. Default: `C:\Windows`. */
export function taskkill(pid: number, systemRoot = "C:\\Windows") {
  const program = path.win32.join(systemRoot, "System32", "taskkill.exe");
  return [program, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true, detached: true }] as const;
}
