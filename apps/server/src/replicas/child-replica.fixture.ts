import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./replica.fixture.ts", import.meta.url));

/** Starts a replica in a process of its own, and resolves when it serves. */
export async function startChildReplica(store: string, file: string) {
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@toolpacks/source"];
  const child = spawn(process.execPath, [...flags, program, store, file], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [url] = (await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended])) as [unknown];
  if (typeof url !== "string") throw new Error(`the replica has ended with code ${String(url)}`);
  return {
    url,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
