import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { desktop, docs, files, fullHome, git, homeWith, place } from "./import-home.fixture.ts";

/** Backups, temporary files and the record that are left in a home folder. */
function leftOver(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /before-toolpacks|\.tmp$|client-changes\.json/.test(name));
}

describe.skipIf(process.platform !== "linux")("import-clients --undo", () => {
  test("keeps a file that was changed since the import, names its backup, and continues once the backup is copied", async () => {
    const { command, read, servers, write, directory } = fullHome();
    const before = files.map(read);
    await command("--apply");
    const changed = { ...(JSON.parse(read(".claude.json")) as object), numStartups: 4 };
    write(".claude.json", changed);
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    const claude = path.join(directory, ".claude.json");
    expect(stdout).toContain(
      `${claude}: not restored: it was changed since the import. To restore it, copy ${claude}.before-toolpacks over it. ` +
        `To keep it, remove toolpacks from it and delete ${claude}.before-toolpacks.\n`,
    );
    expect(stdout).toContain(`${directory}/${place}: not restored: ${claude} still starts toolpacks with it.`);
    expect(stdout.endsWith("Then run toolpacks import-clients --undo again.\n")).toBe(true);
    expect(JSON.parse(read(".claude.json"))).toEqual(changed);
    expect(read(".cursor/mcp.json")).toBe(before[2]);
    expect(Object.keys(servers(place))).toContain("docs");

    copyFileSync(`${claude}.before-toolpacks`, claude);
    expect((await command("--undo")).code).toBe(0);
    expect(files.map(read)).toEqual(before);
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(leftOver(directory)).toEqual([]);
  });

  test("keeps a changed file that has no backup and does not start toolpacks", async () => {
    const { command, servers, write, directory } = fullHome();
    await command("--apply");
    const kept = { mcpServers: { git: { command: "newer" } } };
    write(".cursor/mcp.json", kept);
    rmSync(path.join(directory, ".cursor/mcp.json.before-toolpacks"));
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\.cursor\/mcp\.json: kept, because its backup .*\.before-toolpacks is missing\n/);
    expect(servers(".cursor/mcp.json")).toEqual(kept.mcpServers);
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(leftOver(directory)).toEqual([]);
  });

  test("refuses a file whose backup is missing while the file starts toolpacks, and keeps our config file for it", async () => {
    const { command, read, servers, directory } = fullHome();
    await command("--apply");
    const imported = read(".cursor/mcp.json");
    rmSync(path.join(directory, ".cursor/mcp.json.before-toolpacks"));
    for (let times = 0; times < 2; times += 1) {
      const { code, stdout } = await command("--undo");
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /\.cursor\/mcp\.json: not restored: its backup .*\.before-toolpacks is missing\. Put it back/,
      );
      expect(stdout).toMatch(/toolpacks\.config\.jsonc: not restored: .*\.cursor\/mcp\.json still starts toolpacks/);
      expect(read(".cursor/mcp.json")).toBe(imported);
      expect(Object.keys(servers(place))).toContain("git-cursor");
    }
  });

  test("refuses a changed backup, and changes neither file", async () => {
    const { command, read, write, directory } = fullHome();
    await command("--apply");
    const imported = read(".cursor/mcp.json");
    write(".cursor/mcp.json.before-toolpacks", { mcpServers: {} });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\.cursor\/mcp\.json: not restored: its backup .*\.before-toolpacks was changed since the import\./,
    );
    expect(read(".cursor/mcp.json")).toBe(imported);
    expect(read(".cursor/mcp.json.before-toolpacks")).toBe('{"mcpServers":{}}');

    copyFileSync(path.join(directory, ".cursor/mcp.json.before-toolpacks"), path.join(directory, ".cursor/mcp.json"));
    expect((await command("--undo")).code).toBe(0);
    expect(read(".cursor/mcp.json")).toBe('{"mcpServers":{}}');
    expect(leftOver(directory)).toEqual([]);
  });

  test("restores every byte of a file, its permissions and its link", async () => {
    const { command, directory } = fullHome();
    const file = path.join(directory, ".cursor/mcp.json");
    const target = path.join(directory, "dotfiles.json");
    const bytes = Buffer.from('\uFEFF{ "mcpServers": { "git": { "command": "other" } },\r\n "note": "caf\0" }\r\n');
    // Not valid UTF-8.
    bytes[bytes.indexOf(0)] = 0xe9;
    writeFileSync(target, bytes);
    chmodSync(target, 0o664);
    rmSync(file);
    symlinkSync(target, file);
    await command("--apply");
    expect(readFileSync(target, "utf8")).toContain("--config");
    expect((await command("--undo")).code).toBe(0);
    expect(readFileSync(target)).toEqual(bytes);
    expect(statSync(target).mode & 0o777).toBe(0o664);
    expect(readlinkSync(file)).toBe(target);
  });

  test("undoes two imports of one file, the newer first, and stops at a change between them", async () => {
    const { command, read, directory } = fullHome();
    const before = read(".claude.json");
    await command("--apply", "--only", "git");
    const between = read(".claude.json");
    writeFileSync(path.join(directory, ".claude.json"), `${between}\n`);
    await command("--apply", "--only", "docs");
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout.match(/\.claude\.json: restored\n/g)).toHaveLength(1);
    expect(stdout).toMatch(/\.claude\.json: not restored: it was changed since the import\./);
    expect(read(".claude.json")).toBe(`${between}\n`);

    writeFileSync(path.join(directory, ".claude.json"), between);
    expect((await command("--undo")).code).toBe(0);
    expect(read(".claude.json")).toBe(before);
    expect(leftOver(directory)).toEqual([]);
  });

  test("restores a file that was deleted after the import", async () => {
    const { command, read, directory } = fullHome();
    const before = files.map(read);
    await command("--apply");
    rmSync(path.join(directory, ".cursor/mcp.json"));
    expect((await command("--undo")).code).toBe(0);
    expect(files.map(read)).toEqual(before);
  });

  test("keeps our config file if it was changed after the import created it, and says so", async () => {
    const { command, read, directory } = fullHome();
    const before = files.map(read);
    await command("--apply");
    writeFileSync(path.join(directory, place), '{ "surface": "direct" }');
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "toolpacks.config.jsonc: kept, because it was changed since the import. Delete it if not needed.",
    );
    expect(files.map(read)).toEqual(before);
    expect(read(place)).toBe('{ "surface": "direct" }');
    expect(leftOver(directory)).toEqual([]);
  });

  test("restores our config file if a client named it before the import", async () => {
    const { command, read, write, directory } = homeWith(() => ({
      [desktop]: { mcpServers: { git } },
      [place]: { mcpServers: { mine: docs } },
    }));
    const own = { command: "npx", args: ["-y", "toolpacks", "--config", path.join(directory, place)] };
    write(desktop, { mcpServers: { own, git } });
    const before = [desktop, place].map(read);
    await command("--apply");
    expect([desktop, place].map(read)).not.toEqual(before);
    expect((await command("--undo")).code).toBe(0);
    expect([desktop, place].map(read)).toEqual(before);
  });

  test("continues after a file that is not a regular file", async () => {
    const { command, servers, directory } = fullHome();
    await command("--apply");
    const cursor = path.join(directory, ".cursor/mcp.json");
    rmSync(cursor);
    execFileSync("mkfifo", [cursor]);
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\.cursor\/mcp\.json: not restored: .*not a regular file/);
    expect(servers(".codeium/windsurf/mcp_config.json")).toEqual({ wind: { serverUrl: "https://w.example.com" } });

    rmSync(cursor);
    expect((await command("--undo")).code).toBe(0);
    expect(servers(".cursor/mcp.json")).toEqual({ git: { command: "other" } });
  });

  test("continues in a folder whose .mcp.json is a FIFO", async () => {
    const { command, directory } = fullHome();
    await command("--apply");
    execFileSync("mkfifo", [path.join(directory, "project/.mcp.json")]);
    expect((await command("--undo")).code).toBe(0);
    expect(existsSync(path.join(directory, place))).toBe(false);
  });

  test("keeps our config file if the user added it to a client", async () => {
    const { command, servers, write, directory } = fullHome();
    await command("--apply", "--only", "wind");
    write(".cursor/mcp.json", { mcpServers: { mine: servers(".codeium/windsurf/mcp_config.json")["toolpacks"] } });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toContain(".cursor/mcp.json still starts toolpacks with it");
    expect(existsSync(path.join(directory, place))).toBe(true);
  });
});
