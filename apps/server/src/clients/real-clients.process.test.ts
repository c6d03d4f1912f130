import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { clientSamples } from "../../../../packages/client-config/src/client-samples.fixture.ts";
import { homeWith } from "./import-home.fixture.ts";

/** The folder with the programs of the clients, such as `node_modules/.bin`; without it, these tests are skipped. */
const programs = process.env["CLIENTS_BIN"];

describe.skipIf(programs === undefined)("init, with real clients", { timeout: 120_000 }, () => {
  test.each([
    ["claude-code", "claude", /toolpacks: .*Connected/],
    ["gemini", "gemini", /toolpacks: .*Connected/],
    ["codex", "codex", /toolpacks .* enabled/],
  ])("%s lists the entry, and --undo removes it", async (id, program, expected) => {
    // The client would report the other servers of the sample, which are not installed.
    const sample = clientSamples.find((one) => one.id === id);
    const { toolpacks, env, read, project } = homeWith(() => ({
      [sample?.file ?? ""]: id === "codex" ? "# mine\n" : "{}\n",
    }));
    expect((await toolpacks("init", id, "--yes")).code).toBe(0);
    const file = path.join(programs ?? "", program);
    const {
      CLAUDE_CONFIG_DIR: _claude,
      CODEX_HOME: _codex,
      GEMINI_CLI_HOME: _gemini,
      ...others
    } = { ...process.env, ...env };
    const listed = await promisify(execFile)(file, ["mcp", "list"], {
      cwd: project,
      // Gemini CLI starts servers of trusted folders only.
      env: { ...others, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    });
    expect(listed.stdout + listed.stderr).toMatch(expected);
    expect((await toolpacks("init", "--undo")).code).toBe(0);
    expect(read(sample?.file ?? "")).not.toContain("toolpacks");
  });
});
