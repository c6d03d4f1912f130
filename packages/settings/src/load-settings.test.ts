import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { loadSettings } from "./load-settings.ts";
import { folder, notesConfig } from "./notes-config.fixture.ts";
import { keep } from "./untrusted-rules.ts";
import { userFolders } from "@toolpacks/terminal";

const home = folder();
type Environment = Readonly<Record<string, string>>;

const load = (flags: Readonly<Record<string, unknown>>, env: Environment, cwd: string) =>
  loadSettings(notesConfig, flags, { cwd, env: { HOME: home, ...env } });

describe("loadSettings", () => {
  test("takes a flag before a variable before the file before the default, and names the place", async () => {
    const cwd = folder({ "notes.config.json": '{"tags":["c"],"logLevel":"silent"}' });
    const file = path.join(cwd, "notes.config.json");
    const env = { NOTES_TAGS: "a, b,", NOTES_LOG_LEVEL: "info" };
    const first = (await load({ tags: ["x"], logLevel: "silent", trust: true }, env, cwd)).settings;
    expect(first.tags).toEqual({ value: ["x"], source: "flag", origin: "--tags" });
    expect(first.logLevel).toEqual({ value: "silent", source: "flag", origin: "--log-level" });
    const second = (await load({ trust: true }, env, cwd)).settings;
    expect(second.tags).toEqual({ value: ["a", "b"], source: "environment", origin: "$NOTES_TAGS" });
    expect(second.logLevel).toEqual({ value: "info", source: "environment", origin: "$NOTES_LOG_LEVEL" });
    const third = (await load({ trust: true }, { NOTES_TAGS: "" }, cwd)).settings;
    expect(third.tags).toEqual({ value: ["c"], source: "file", origin: `${file}: tags` });
    expect(third.write).toEqual({ value: false, source: "default", origin: "default" });
  });

  test("resolves relative paths of flags and variables in the current folder, and of the file in its folder", async () => {
    const top = folder({ "notes.config.yaml": "folder: in-file\n" });
    const cwd = path.join(top, "sub");
    mkdirSync(cwd);
    const of = async (flags: object, env: Environment) =>
      (await load({ trust: true, ...flags }, env, cwd)).settings.folder.value;
    expect(await of({ in: "a" }, { NOTES_FOLDER: "b" })).toBe(path.join(cwd, "a"));
    expect(await of({}, { NOTES_FOLDER: "b" })).toBe(path.join(cwd, "b"));
    expect(await of({}, {})).toBe(path.join(top, "in-file"));
  });

  test("reads --config before $NOTES_CONFIG before the nearest file before the one in the user's settings folder", async () => {
    const files = {
      "notes.config.json": '{"tags":["nearest"]}',
      "a.json": '{"tags":["a"]}',
      "b.json": '{"tags":["b"]}',
    };
    const cwd = folder(files);
    const tags = async (flags: object, env: Environment, at = cwd) =>
      (await load({ ...flags }, env, at)).settings.tags.value;
    expect(await tags({ config: "a.json" }, { NOTES_CONFIG: "b.json" })).toEqual(["a"]);
    expect(await tags({}, { NOTES_CONFIG: "b.json" })).toEqual(["b"]);
    expect(await tags({}, { NOTES_CONFIG: "" })).toEqual(["nearest"]);
    const settings = userFolders("notes", { HOME: home }).config;
    mkdirSync(path.dirname(settings), { recursive: true });
    renameSync(folder({ "notes.config.json": '{"tags":["user"],"write":true}' }), settings);
    expect(await tags({}, {}, folder())).toEqual(["user"]);
    expect((await load({}, {}, folder())).settings.write.value).toBe(true);
    expect(await tags({ userConfig: false }, {}, folder())).toBeUndefined();
  });

  test.each([
    [{}, { NOTES_LOG_LEVEL: "loud" }, "$NOTES_LOG_LEVEL: expected info, silent, received loud"],
    [{ in: "/x" }, {}, "--in: expected another folder"],
  ])("refuses the flags %j and variables %j, naming the place", async (flags, env, message) => {
    await expect(load(flags, env, folder())).rejects.toThrow(message);
  });

  test("does not compile with an unknown flag", async () => {
    const schema = z.strictObject({ max: z.number().optional() });
    const definition = {
      name: "notes",
      schema: async () => schema,
      rules: { max: keep },
      sources: { max: { fallback: 5 } },
    };
    // @ts-expect-error: an unknown flag.
    const { settings } = await loadSettings(definition, { maks: 7 }, { cwd: folder(), env: {} });
    expect(settings.max.value).toBe(5);
  });

  test("refuses a setting whose flag chooses the config file", async () => {
    const sources = { folder: { flag: "config", fallback: undefined } };
    const definition = { ...notesConfig, sources };
    await expect(loadSettings(definition, {}, { cwd: folder(), env: { HOME: home } })).rejects.toThrow(
      "sources: config",
    );
  });

  test("warns of a second config file in the folder, and says which is used", async () => {
    const cwd = folder({ "notes.config.yaml": "", "notes.config.json": "{}" });
    expect((await load({}, {}, cwd)).warnings).toEqual([
      `${cwd} has several config files: notes.config.json is used, and notes.config.yaml ignored`,
    ]);
    expect((await load({ config: "notes.config.yaml" }, {}, cwd)).warnings).toEqual([]);
  });
});

test.runIf(process.platform === "linux")("userFolders resolves a relative variable in the home folder", () => {
  const { config, data, cache } = userFolders("notes", { HOME: "/home/me", XDG_DATA_HOME: "data", XDG_CACHE_HOME: "" });
  expect([config, data, cache]).toEqual(["/home/me/.config/notes", "/home/me/data/notes", "/home/me/.cache/notes"]);
});
