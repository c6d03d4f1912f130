import { chmodSync, mkdirSync, renameSync, rmdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings } from "./load-settings.ts";
import { folder, notesConfig } from "./notes-config.fixture.ts";
import { inspectTrust, listTrusted, revokeTrust } from "./trust.ts";
import { restrictConfig } from "./untrusted-rules.ts";
import { userFolders } from "@toolpacks/terminal";

/** A project with a config file, in the home folder of its own user. */
function project(text = '{"write":true,"tags":["a"]}') {
  const env = { HOME: folder() };
  const cwd = folder({ "notes.config.json": text });
  const io = { cwd, env };
  const load = async (at = cwd) => {
    const { file, settings, warnings } = await loadSettings(notesConfig, {}, { cwd: at, env });
    return { write: settings.write.value, tags: settings.tags.value, hasChanged: file?.hasChanged, warnings };
  };
  const trust = async () => (await inspectTrust(notesConfig, io)).trust();
  return { io, cwd, file: path.join(cwd, "notes.config.json"), load, trust };
}

describe("a config file that is found", () => {
  test("sets what is harmless, and the rest once it is trusted", async () => {
    const { cwd, file, load, trust } = project();
    const warning = `${file} is not trusted, so what only a trusted file may set is ignored: write. To see what it would run and allow, and to trust it: notes trust ${cwd}`;
    expect(await load()).toEqual({ write: false, tags: ["a"], hasChanged: false, warnings: [warning] });
    await trust();
    expect(await load()).toEqual({ write: true, tags: ["a"], hasChanged: false, warnings: [] });
  });

  test("is untrusted again after a change of its text, until that is trusted or taken back", async () => {
    const { file, load, trust } = project();
    await trust();
    writeFileSync(file, '{"write":true,"tags":["b"]}');
    expect(await load()).toMatchObject({ write: false, hasChanged: true });
    writeFileSync(file, '{"write":true,"tags":["a"]}');
    expect(await load()).toMatchObject({ write: true, hasChanged: false });
  });

  test("is untrusted again when one of its folders becomes a link", async () => {
    const { cwd, load, trust } = project('{"write":true,"folder":"docs"}');
    await trust();
    mkdirSync(path.join(cwd, "docs"));
    expect(await load()).toMatchObject({ write: true });
    rmdirSync(path.join(cwd, "docs"));
    symlinkSync(folder(), path.join(cwd, "docs"));
    expect(await load()).toMatchObject({ write: false, hasChanged: true });
  });

  test("is not trusted as a link to a file that is trusted elsewhere, but below a link to its folder", async () => {
    const { io, cwd, file, load, trust } = project();
    await trust();
    const linking = folder();
    symlinkSync(file, path.join(linking, "notes.config.json"));
    expect(await load(linking)).toMatchObject({ write: false });
    symlinkSync(cwd, path.join(linking, "folder"));
    expect(await load(path.join(linking, "folder"))).toMatchObject({ write: true });
    expect(await listTrusted(notesConfig, io)).toEqual([{ file, state: "trusted" }]);
  });

  test("names ignored settings without control characters", async () => {
    const { load } = project(JSON.stringify({ servers: { "\u001b[2Jevil\u202e": {} } }));
    const [warning] = (await load()).warnings;
    expect(warning).toContain(String.raw`servers.\u{1b}[2Jevil\u{202e}. To see`);
  });
});

describe.skipIf(process.getuid === undefined)("a config file in the user's settings folder", () => {
  test.each([
    ["that others can write", 0o620, 0o700],
    ["in a folder that others can write", 0o600, 0o722],
  ])("%s is not trusted", async (_, fileMode, folderMode) => {
    const env = { HOME: folder() };
    const settings = userFolders("notes", env).config;
    mkdirSync(path.dirname(settings), { recursive: true });
    renameSync(folder({ "notes.config.json": '{"write":true}' }), settings);
    const write = async () => (await loadSettings(notesConfig, {}, { cwd: folder(), env })).settings.write.value;
    expect(await write()).toBe(true);
    chmodSync(path.join(settings, "notes.config.json"), fileMode);
    chmodSync(settings, folderMode);
    expect(await write()).toBe(false);
  });
});

describe("the records of trust", () => {
  test("list each file with its state, and end by revoking", async () => {
    const { io, file, load, trust } = project();
    expect((await inspectTrust(notesConfig, io)).isTrusted).toBe(false);
    await trust();
    expect((await inspectTrust(notesConfig, io)).isTrusted).toBe(true);
    expect(await listTrusted(notesConfig, io)).toEqual([{ file, state: "trusted" }]);
    writeFileSync(file, "{");
    expect(await listTrusted(notesConfig, io)).toEqual([{ file, state: "unreadable" }]);
    writeFileSync(file, "{}");
    expect(await listTrusted(notesConfig, io)).toEqual([{ file, state: "changed" }]);
    expect(revokeTrust(notesConfig, io)).toEqual({ file, wasTrusted: true });
    expect(revokeTrust(notesConfig, { ...io, cwd: path.dirname(file) })).toEqual({ file, wasTrusted: false });
    expect(await load()).toMatchObject({ hasChanged: false });
  });

  test.skipIf(process.platform === "win32")("are readable and writable by the user alone", async () => {
    const { io, trust } = project();
    await trust();
    const records = path.join(userFolders("notes", io.env).config, "trusted");
    expect(statSync(records).mode & 0o077).toBe(0);
  });

  test("are refused where there is no config file", async () => {
    await expect(inspectTrust(notesConfig, { cwd: folder(), env: {} })).rejects.toThrow("no config file was found in");
  });
});

test("restrictConfig ignores a setting without a rule", async () => {
  const config: object = { hooks: ["rm"], toString: "x" };
  const { config: kept, ignored } = await restrictConfig(config, notesConfig.rules);
  expect([kept, ignored.map(({ key }) => key)]).toEqual([{}, ["hooks", "toString"]]);
});

test("restrictConfig splits a record into harmless and ignored entries", async () => {
  expect(await restrictConfig({ servers: { a: false, b: {} } }, notesConfig.rules)).toEqual({
    config: { servers: { a: false } },
    ignored: [{ key: "servers.b", value: {} }],
  });
});
