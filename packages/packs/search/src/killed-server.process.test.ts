import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The running parser processes, by their parents. */
function parsersOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((id) => {
    try {
      const [, , , own] = readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/\(.*\)/, "()")
        .split(" ");
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8");
      return Number(own) === parent && command.includes("parser-child") ? [Number(id)] : [];
    } catch {
      return [];
    }
  });
}

test("all searches share one parser process, which ends when the server is killed during a search", async () => {
  const program = `
    import { parseSource } from ${JSON.stringify(path.join(import.meta.dirname, "sources/parser-process.ts"))};
    const task = (source) => ({ parser: "typescript", source, maxFound: 10, search: { kind: "code", pattern: "$A" } });
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map(() => parseSource(task("f(1)"), signal)));
    console.log("started");
    await parseSource(task("class a{".repeat(120_000)), signal);
    setInterval(() => {}, 1000);`;
  const server = spawn(process.execPath, ["--conditions=@toolpacks/source", "--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  const parsers = parsersOf(server.pid ?? 0);
  expect(parsers).toHaveLength(1);
  server.kill("SIGKILL");
  const isAlive = () => {
    try {
      return process.kill(parsers[0] ?? 0, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isAlive).toBe(false);
});
