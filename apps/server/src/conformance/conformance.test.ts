import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folder } from "../command.fixture.ts";
import conformance from "./conformance-pack.fixture.ts";
import { serveHttp, type HttpServer } from "../http-server.fixture.ts";

const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** Starts the server whose conformance is tested. */
function startServer(): Promise<HttpServer> {
  return serveHttp({ packs: [conformance()], surface: "direct" });
}

let server: HttpServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

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

test.concurrent.each(["2025-11-25", "2026-07-28"])(
  "every scored scenario of %s passes, or is in the baseline with its reason",
  async (revision) => {
    const { code, output } = await runSuite(server.url, revision);
    expect(code, output.slice(output.indexOf("=== SUMMARY"))).toBe(0);
  },
);
