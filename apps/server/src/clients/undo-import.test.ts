import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
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
  test("puts back only the moved servers in a file that its client has written since", async () => {
    const state =
      '{\n\t"numStartups": 3,\n\t"mcpServers": {\n\t\t"docs": { "url": "https://docs.example.com/mcp" }\n\t},\n\t"theme": "dark"\n}\n';
    const { command, read, directory } = homeWith(() => ({
      ".claude.json": state,
      [desktop]: { mcpServers: { git } },
    }));
    const file = path.join(directory, ".claude.json");
    await command("--apply");
    writeFileSync(
      file,
      read(".claude.json").replace("3", "4").replace('"dark"', '"dark",\n\t"tipsHistory": { "a": 1 }'),
    );
    const { code, stdout } = await command("--undo");
    expect([code, stdout.split("\n").slice(0, 3)]).toEqual([
      0,
      [
        `${file}: docs put back; toolpacks removed; later changes of the file are kept`,
        `${directory}/${desktop}: restored`,
        `${directory}/${place}: removed`,
      ],
    ]);
    expect(read(".claude.json")).toBe(
      '{\n\t"numStartups": 4,\n\t"mcpServers": {\n\t\t"docs": {\n\t\t\t"url": "https://docs.example.com/mcp"\n\t\t}\n\t},\n\t"theme": "dark",\n\t"tipsHistory": { "a": 1 }\n}\n',
    );
    expect(leftOver(directory)).toEqual([]);
  });

  test("recognizes servers that are back already", async () => {
    const { command, read, write, directory } = fullHome();
    const before = files.map(read);
    await command("--apply");
    const cursor = { mcpServers: { git: { command: "other" } }, later: true };
    write(".cursor/mcp.json", cursor);
    copyFileSync(path.join(directory, `${desktop}.before-toolpacks`), path.join(directory, desktop));
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout).toContain(".cursor/mcp.json: git put back; toolpacks removed; later changes of the file are kept\n");
    expect(JSON.parse(read(".cursor/mcp.json"))).toEqual(cursor);
    expect(read(desktop)).toBe(before[0]);
    expect(leftOver(directory)).toEqual([]);
  });

  test("keeps an entry with the name of a moved server, and the backup with the moved one", async () => {
    const { command, servers, write } = fullHome();
    await command("--apply");
    const kept = { git: { command: "newer" } };
    const toolpacks = servers(".cursor/mcp.json")["toolpacks"];
    write(".cursor/mcp.json", { mcpServers: { ...kept, toolpacks } });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout).toContain(".cursor/mcp.json: git kept, because it was changed since; toolpacks removed;");
    expect(servers(".cursor/mcp.json")).toEqual(kept);
    expect(servers(".cursor/mcp.json.before-toolpacks")).toEqual({ git: { command: "other" } });
  });

  test("keeps our config file while it has the only definition of a moved server", async () => {
    const { command, servers, write, directory } = fullHome();
    await command("--apply");
    write(".cursor/mcp.json", { mcpServers: { git: { command: "newer" } } });
    rmSync(path.join(directory, ".cursor/mcp.json.before-toolpacks"));
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout).toContain(`${place}: kept: the file of its client has another definition of git\n`);
    expect(servers(place)["git-cursor"]).toEqual({ command: "other" });
    expect(leftOver(directory)).toEqual([]);
  });

  test("removes an entry of toolpacks with added fields, and keeps one that was changed", async () => {
    const { command, servers, write, directory } = fullHome();
    await command("--apply");
    const { toolpacks } = servers(".cursor/mcp.json");
    write(".cursor/mcp.json", { mcpServers: { toolpacks: { ...toolpacks, type: "stdio" } } });
    const wind = ".codeium/windsurf/mcp_config.json";
    const own = { ...toolpacks, args: ["/opt/toolpacks", "--config", path.join(directory, place)] };
    write(wind, { mcpServers: { toolpacks: own } });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(servers(".cursor/mcp.json")).toEqual({ git: { command: "other" } });
    expect(stdout).toContain("wind put back; toolpacks kept, because it was changed since;");
    expect(servers(wind)).toEqual({ toolpacks: own, wind: { serverUrl: "https://w.example.com" } });
    expect(stdout).toContain(`${directory}/${place}: not restored: ${directory}/${wind} still names it.`);
    expect(stdout).toContain("Then run toolpacks import-clients --undo again.\n");

    write(wind, { mcpServers: { wind: { serverUrl: "https://w.example.com" } } });
    expect((await command("--undo")).code).toBe(0);
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(leftOver(directory)).toEqual([]);
  });

  test.each([
    ["is missing", (backup: string) => rmSync(backup), []],
    ["was changed", (backup: string) => writeFileSync(backup, "{}"), [".cursor/mcp.json.before-toolpacks"]],
  ])("puts servers back in a file whose backup %s", async (_, change, left) => {
    const { command, servers, directory } = fullHome();
    await command("--apply");
    change(path.join(directory, ".cursor/mcp.json.before-toolpacks"));
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout).toContain(".cursor/mcp.json: git put back; toolpacks removed;");
    expect(servers(".cursor/mcp.json")).toEqual({ git: { command: "other" } });
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(leftOver(directory)).toEqual(left);
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

  test("undoes two imports of one file with one line, and keeps a change between them", async () => {
    const { command, read, servers, directory } = fullHome();
    const file = path.join(directory, ".claude.json");
    const before = JSON.parse(read(".claude.json")) as object;
    await command("--apply", "--only", "git");
    writeFileSync(file, read(".claude.json").replace('"numStartups":3', '"numStartups":4'));
    await command("--apply", "--only", "docs");
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout.match(/\.claude\.json: .*/g)).toEqual([
      ".claude.json: docs, git put back; toolpacks removed; later changes of the file are kept",
    ]);
    expect(JSON.parse(read(".claude.json"))).toEqual({ ...before, numStartups: 4 });
    expect(servers(".claude.json")).toEqual({ docs });
    expect(leftOver(directory)).toEqual([]);
  });

  test("after an undo that kept files, a second move and its undo report each file once", async () => {
    const { command, read, write, directory } = fullHome();
    await command("--apply");
    write(".claude.json", { ...(JSON.parse(read(".claude.json")) as object), numStartups: 4 });
    writeFileSync(path.join(directory, place), read(place).replace("{", "{ // mine"));
    expect((await command("--undo")).code).toBe(0);
    const between = files.map(read);
    await command("--apply");
    expect(leftOver(directory).filter((name) => name.endsWith("-2"))).toEqual([]);
    write(".claude.json", { ...(JSON.parse(read(".claude.json")) as object), numStartups: 5 });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    const named = stdout.split("\n").flatMap((line) => /^(\S+): /.exec(line)?.[1] ?? []);
    expect(new Set(named).size).toBe(named.length);
    expect(stdout).not.toContain("not restored");
    expect(files.map(read).map((text, at) => (files[at] === ".claude.json" ? "" : text))).toEqual(
      between.map((text, at) => (files[at] === ".claude.json" ? "" : text)),
    );
    expect(JSON.parse(read(".claude.json"))).toEqual({ ...(JSON.parse(between[1] ?? "") as object), numStartups: 5 });
    expect(leftOver(directory)).toEqual([]);
  });

  test("undoes a move after one that was undone by hand", async () => {
    const { command, read, directory } = fullHome();
    const file = path.join(directory, ".claude.json");
    const before = read(".claude.json");
    await command("--apply");
    copyFileSync(`${file}.before-toolpacks`, file);
    await command("--apply");
    const { code, stdout } = await command("--undo");
    expect(code).toBe(0);
    expect(stdout.match(/\.claude\.json: .*/g)).toEqual([".claude.json: restored"]);
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
    expect(code).toBe(0);
    expect(stdout).toContain("toolpacks.config.jsonc: kept: it was changed since. Delete it if it is not needed\n");
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
    mkdirSync(cursor);
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\.cursor\/mcp\.json: not restored: .*not a regular file/);
    expect(servers(".codeium/windsurf/mcp_config.json")).toEqual({ wind: { serverUrl: "https://w.example.com" } });

    rmSync(cursor, { recursive: true });
    expect((await command("--undo")).code).toBe(0);
    expect(servers(".cursor/mcp.json")).toEqual({ git: { command: "other" } });
  });

  test("keeps our config file if the user added it to a client", async () => {
    const { command, servers, write, directory } = fullHome();
    await command("--apply", "--only", "wind");
    write(".cursor/mcp.json", { mcpServers: { mine: servers(".codeium/windsurf/mcp_config.json")["toolpacks"] } });
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toContain(".cursor/mcp.json still names it");
    expect(existsSync(path.join(directory, place))).toBe(true);
  });
});
