import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const jsonLog = new URL("json-log.ts", import.meta.url).href;

/** Starts a process that logs these many lines to stderr. It ends after it got a text and has flushed the log. */
function startLogging(count: number) {
  const script = `
    import { createJsonLog } from ${JSON.stringify(jsonLog)};
    const { sink, flush } = createJsonLog();
    for (let n = 0; n < ${count}; n += 1) sink("info", "line " + n, []);
    process.stdin.on("data", () => {
      sink("info", "last", []);
      process.stdout.write("alive");
      flush().then(() => {
        process.stdout.write("flushed");
        process.exit(0);
      });
    });
  `;
  return spawn(process.execPath, ["--conditions=@toolpacks/source", "--input-type=module", "--eval", script]);
}

test("lines that wait are written when the process ends", async () => {
  const count = 20_000;
  const child = startLogging(count);
  let [output, log] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.write("end\n");
  await expect.poll(() => output).toContain("alive");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(output).toBe("alive");
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  await once(child, "close");
  expect(output).toBe("aliveflushed");
  const lines = log.trimEnd().split("\n");
  expect(lines).toHaveLength(count + 1);
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: "info", msg: "last" });
});

test("a closed stderr does not end the process", async () => {
  const child = startLogging(1_000);
  child.stderr.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  child.stdin.write("end\n");
  const [answer] = (await once(child.stdout, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^alive/);
});
