import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** Hears which groups there are until whoever tells is gone. What is left is given a second to notice, is told to end, and then made to. */
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
 * Sees to it that process groups do not outlive this process, even where it is killed and can do nothing more itself: a shell, which is
 * started with the first of them and notices that its pipe has ended. It is in a session of its own, where no terminal's signal reaches it.
 */
export const watchdog = {
  watch(group: number): void {
    groups.add(group);
    if (shell === undefined) shell = start();
    else tell(shell, `+${group}`);
  },

  /** The group has ended. */
  forget(group: number): void {
    if (groups.delete(group) && shell !== undefined) tell(shell, `-${group}`);
  },

  /** To be called when no group is left, and this process ends in order. */
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
    // The next group brings another.
    if (shell === child) shell = undefined;
  };
  child.once("error", gone).once("exit", gone);
  child.stdin?.on("error", gone);
  child.unref();
  // What is a pipe to others is a socket to Node.
  (child.stdin as Socket | null)?.unref();
  for (const group of groups) tell(child, `+${group}`);
  return child;
}

function tell(child: ChildProcess, line: string): void {
  child.stdin?.write(`${line}\n`);
}
