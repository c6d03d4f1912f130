import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** Reads the running process groups until the pipe ends. Then it waits a second, sends SIGTERM, waits again, and sends SIGKILL. */
const script = `
left=
while read -r told; do
  group=\${told#?}
  case $told in
    +*) left="$left $group" ;;
    -*) rest=
      for one in $left; do [ "$one" = "$group" ] || rest="$rest $one"; done
      left=$rest ;;
  esac
done
for signal in TERM KILL; do
  [ -n "$left" ] && sleep 1
  for group in $left; do kill -s $signal -- "-$group"; done
done`;

const groups = new Set<number>();
let shell: ChildProcess | undefined;

/**
 * Ends process groups when this process is killed. A shell, started with the first group, notices the end of its pipe. It has its
 * own session, so that terminal signals do not reach it.
 */
export const watchdog = {
  watch(group: number): void {
    groups.add(group);
    if (shell === undefined) shell = start();
    else tell(shell, `+${group}`);
  },

  /** Called when the group has ended. */
  forget(group: number): void {
    if (groups.delete(group) && shell !== undefined) tell(shell, `-${group}`);
  },

  /** Called at a normal exit, when no group is left. */
  end(): void {
    shell?.kill("SIGKILL");
  },
};

function start(): ChildProcess {
  const child: ChildProcess = spawn("sh", ["-c", script, "toolpacks-watchdog"], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
    env: { PATH: process.env["PATH"] },
  });
  const gone = () => {
    // The next group starts another shell.
    if (shell === child) shell = undefined;
  };
  child.once("error", gone).once("exit", gone);
  child.stdin?.on("error", gone);
  child.unref();
  // Node implements the pipe as a socket.
  (child.stdin as Socket | null)?.unref();
  for (const group of groups) tell(child, `+${group}`);
  return child;
}

function tell(child: ChildProcess, line: string): void {
  child.stdin?.write(`${line}\n`);
}
