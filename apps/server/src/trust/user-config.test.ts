import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { homeWith, place } from "../clients/import-home.fixture.ts";
import { run } from "../run-cli.fixture.ts";

const rough = fileURLToPath(new URL("../../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));
const plain = { command: process.execPath, args: [rough, "plain"] };

/** A home where a client had a server before it was moved. */
async function movedHome() {
  const home = homeWith(() => ({ ".cursor/mcp.json": { mcpServers: { rough: plain } } }));
  const { stdout } = await home.command("--apply");
  const env = home.env;
  const command = (...args: string[]) => run(args, { cwd: home.project, env, isTrusted: false });
  return { ...home, env, applied: stdout, toolpacks: command };
}

describe.skipIf(process.platform !== "linux")("the config file in the user's settings folder", () => {
  test("is used by commands where no other is found", async () => {
    const { toolpacks, applied, directory } = await movedHome();
    expect(applied).toMatch(/to check the servers: toolpacks doctor\nto list their tools: toolpacks tools\n$/);
    const doctor = await toolpacks("doctor");
    expect(doctor.code).toBe(0);
    expect(doctor.stdout).toContain(
      `config: ${directory}/${place} (in your settings folder; a client starts toolpacks with it by --config)\n`,
    );
    expect(doctor.stdout).toMatch(/server: rough, .*, 12 tools\n/);
    expect((await toolpacks("tools")).stdout).toContain("rough_");
    expect((await toolpacks("budget")).stdout).toContain("rough_say");
    expect((await toolpacks("search", "say")).stdout).toContain("rough_");
    expect((await toolpacks("call", "rough_say")).code).toBe(0);
  }, 60_000);

  test("is used after the config file of a project", async () => {
    const { toolpacks, command, write, directory } = await movedHome();
    write("project/toolpacks.config.json", { surface: "direct" });
    const { stdout } = await toolpacks("doctor");
    expect(stdout).toContain(`config: ${directory}/project/toolpacks.config.json\n`);
    expect(stdout).not.toContain("server: rough");
    write(".cursor/mcp.json", { mcpServers: { other: { ...plain, env: { A: "1" } } } });
    expect((await command("--apply")).stdout).toContain(`toolpacks doctor --config ${directory}/${place}\n`);
  });

  test("is not read by a server that does not name it", async () => {
    const { env, project } = await movedHome();
    const { stderr } = await run([], { cwd: project, env, isTrusted: false });
    expect(stderr).toContain("mounted: ");
    expect(stderr).not.toContain("rough");
  });

  test.each([
    ["the file", place, 0o620],
    ["the folder", path.dirname(place), 0o722],
  ])("that others can write is not trusted: %s", async (_, name, mode) => {
    const { toolpacks, directory } = await movedHome();
    chmodSync(path.join(directory, name), mode);
    const { stdout } = await toolpacks("doctor");
    expect(stdout).not.toContain("server: rough");
    expect(stdout).toContain(
      `${place} is not trusted, so what only a trusted file may set is ignored: mcpServers.rough.`,
    );
  });

  test("is not found in a folder of another name", async () => {
    const { toolpacks, env, directory } = await movedHome();
    mkdirSync(path.join(directory, "elsewhere"));
    expect((await toolpacks("doctor")).stdout).toContain(place);
    const other = { ...env, XDG_CONFIG_HOME: path.join(directory, "elsewhere") };
    expect((await run(["doctor"], { cwd: directory, env: other, isTrusted: false })).stdout).toContain(
      "config: none found",
    );
  });
});
