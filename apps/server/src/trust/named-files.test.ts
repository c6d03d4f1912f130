import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../command.fixture.ts";
import { evilPack, hasRun, session } from "./trust.fixture.ts";

const untrusted = { isTrusted: false } as const;

/** A project whose config file runs a pack by path, one by npm name, and a program, and reads variables. */
function project(args: readonly string[] = ["./server.mjs"]): string {
  const config = {
    packs: { "./pack.mjs": {}, noted: {} },
    mcpServers: { local: { command: process.execPath, args, envFile: ".local" } },
  };
  const cwd = folder({
    "pack.mjs": evilPack.replaceAll("evil", "own"),
    "server.mjs": "",
    ".local": "A=1",
    "toolpacks.config.json": JSON.stringify(config),
  });
  const installed = path.join(cwd, "node_modules/noted");
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(installed, "package.json"), '{"name":"noted","main":"main.cjs"}');
  const noted = evilPack.replace(/import.*|writeFileSync.*/g, "").replaceAll("evil", "noted");
  writeFileSync(path.join(installed, "main.cjs"), noted.replace("export default", "module.exports ="));
  return cwd;
}

const runOrRead = ["pack.mjs", "node_modules/noted/main.cjs", "server.mjs", ".local"];

describe("the files that a config file runs or reads", () => {
  test.each([
    ["--config", () => ["--config", "toolpacks.config.json"]],
    ["--trust", () => ["--trust"]],
  ])("cannot be written by a tool, with %s", async (_, flags) => {
    const cwd = project();
    const { call, end } = await session(["--root", ".", "--write", ...flags()], cwd);
    for (const name of runOrRead) {
      const before = readFileSync(path.join(cwd, name), "utf8");
      expect(await call("fs_edit", { path: name, edits: [{ append: "// hostile" }] }), name).toContain("denied");
      expect(await call("fs_write", { path: name, content: "hostile", overwrite: true }), name).toContain("protected");
      expect(await call("fs_delete", { path: name }), name).toContain("denied");
      expect(readFileSync(path.join(cwd, name), "utf8")).toBe(before);
    }
    expect(await call("fs_write", { path: "other.mjs", content: "x" })).toContain("created");
    await end();
  });

  test.each([
    ["an argument", ["./server.mjs"], "server.mjs"],
    ["a part of an argument", ["--import=./server.mjs", "x"], "server.mjs"],
    ["a shell's argument", ["-c", "exec node server.mjs; true"], "server.mjs"],
    ["an argument that is a link", ["./link.mjs"], "server.mjs"],
    ["a file that is not there yet", ["dist/index.js"], "dist/index.js"],
    ["a module without its extension", ["server"], "server.mjs"],
    ["a path without its extension, that is not there yet", ["./lib/server"], "lib/server.js"],
    ["an option with its value attached", ["-r./server.mjs"], "server.mjs"],
    ["one path of a list", ["-cp", "./a.jar:./server.mjs"], "server.mjs"],
    ["a file URL", ["--import", "file://$PWD/server.mjs"], "server.mjs"],
    ["a path in the shell's current folder", ["-c", "$PWD/server.mjs"], "server.mjs"],
    ["a Python module", ["-m", "tools.server"], "tools/server.py"],
    ["a pack by its npm name", [], "node_modules/noted/main.cjs"],
  ])("need trust again after a change: %s", async (_, args, changed) => {
    const cwd = project(args);
    symlinkSync("server.mjs", path.join(cwd, "link.mjs"));
    for (const name of ["dist", "lib", "tools"]) mkdirSync(path.join(cwd, name));
    writeFileSync(path.join(cwd, "tools/server.py"), "");
    await run(["trust", "--yes"], { cwd });
    expect((await run(["trust"], { cwd })).stdout).toContain("is trusted already");
    writeFileSync(path.join(cwd, changed), "// hostile");
    const { stderr } = await run([], { cwd, ...untrusted });
    expect(stderr).toContain("has changed since it was trusted");
    expect(hasRun(cwd)).toBe(false);
  });

  test("are not started after a change while the server runs", async () => {
    const cwd = project();
    await run(["trust", "--yes"], { cwd });
    const { call, end } = await session(["--root", "."], cwd);
    writeFileSync(
      path.join(cwd, "server.mjs"),
      'import { writeFileSync } from "node:fs"; writeFileSync("started", "");',
    );
    expect(await call("local_anything")).toMatch(
      /unavailable: .*or a file that it runs, has changed since it was trusted/,
    );
    expect(existsSync(path.join(cwd, "started"))).toBe(false);
    await end();
  });

  test("do not include programs of the system and data files, which need no new trust", async () => {
    const outside = folder({ "tool.sh": "" });
    const cwd = project(["data.db", path.join(outside, "tool.sh"), "run", "."]);
    writeFileSync(path.join(cwd, "data.db"), "1");
    await run(["trust", "--yes"], { cwd });
    writeFileSync(path.join(cwd, "data.db"), "2");
    writeFileSync(path.join(outside, "tool.sh"), "2");
    expect((await run(["trust"], { cwd })).stdout).toContain("is trusted already");
  });
});
