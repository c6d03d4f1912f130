import { spawn } from "node:child_process";
import path from "node:path";

/** Ends a process and all that descend from it, on Windows. The command also runs to its end if this process exits meanwhile. */
export function endProcessTree(pid: number): void {
  const child = spawn(...taskkill(pid, process.env["SystemRoot"]));
  // Without the program, the process has its closed input to notice.
  child.on("error", () => {});
  child.unref();
}

/** @param systemRoot the folder of Windows. Default: `C:\Windows`. */
export function taskkill(pid: number, systemRoot = "C:\\Windows") {
  const program = path.win32.join(systemRoot, "System32", "taskkill.exe");
  return [program, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true, detached: true }] as const;
}
