import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serveHttpHere } from "../serve.fixture.ts";

const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
const pack = fileURLToPath(new URL("./conformance-pack.fixture.ts", import.meta.url));

/** The settings of a server that lists what the suite calls. */
const config = JSON.stringify({ packs: { [pack]: {} }, surface: "direct", expose: ["conformance"] });

let server: Awaited<ReturnType<typeof serveHttpHere>>;

beforeAll(async () => {
  server = await serveHttpHere(["--config", `${folder({ "toolpacks.config.json": config })}/toolpacks.config.json`]);
});
afterAll(() => server.stop());

/** Runs every scenario that a revision of the protocol requires of a server. The suite compares the failures with the baseline. */
async function runSuite(url: string, revision: string): Promise<{ readonly code: number; readonly output: string }> {
  const baseline = fileURLToPath(new URL(`./baseline-${revision}.yaml`, import.meta.url));
  const args = [suite, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder(), maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr });
    });
  });
}

// Some checks of the suite wait only half a second, which a busy machine can exceed.
test.each(["2025-11-25", "2026-07-28"])(
  "every scored scenario of %s passes, or is in the baseline with its reason",
  { retry: 2 },
  async (revision) => {
    const { code, output } = await runSuite(server.url, revision);
    const failures = output.split("\n").filter((line) => /FAILURE|WARNING|✗/.test(line));
    expect(code, failures.join("\n")).toBe(0);
    expect(output).toContain("Baseline check passed");
  },
);
