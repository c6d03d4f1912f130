import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { roughPack } from "../rough-pack.fixture.ts";

/** A folder of two, of which the config file names one as the pack's own root. */
function project(more: object = {}): string {
  const packs = { filesystem: { roots: ["own"] } };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ packs, ...more }) });
  for (const name of ["own", "other", "sub"]) {
    mkdirSync(path.join(cwd, name));
    writeFileSync(path.join(cwd, name, `in-${name}.txt`), "");
  }
  return cwd;
}

describe("the filesystem pack's own roots in the config file", () => {
  const list = ["call", "fs_list", "{}"];

  test("are relative to the file, in whichever folder the command starts", async () => {
    const cwd = path.join(project(), "sub");
    expect((await run(list, { cwd })).stdout).toContain("in-own.txt");
  });

  test("override the file's roots, and are overridden by a flag and the environment", async () => {
    const cwd = project({ roots: ["sub"] });
    expect((await run(list, { cwd })).stdout).toContain("in-own.txt");
    const flagged = await run([...list, "--root", "other"], { cwd });
    expect(flagged.stdout).toContain("in-other.txt");
    expect(flagged.stdout).not.toContain("in-own.txt");
    const env = { TOOLPACKS_ROOTS: path.join(cwd, "other") };
    expect((await run(list, { cwd, env })).stdout).not.toContain("in-own.txt");
  });

  test("stop the start when they are not a folder", async () => {
    const cwd = folder({ "toolpacks.config.json": '{"packs":{"filesystem":{"roots":["nowhere"]}}}' });
    expect(await run([], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/packs\.filesystem\.roots: expected an existing directory/) as string,
    });
  });
});

test("--write overrides write: false of the pack in the file", async () => {
  const cwd = folder({ "toolpacks.config.json": '{"roots":["."],"packs":{"filesystem":{"write":false}}}' });
  expect((await run(["tools"], { cwd })).stdout).not.toContain("fs_write");
  expect((await run(["tools", "--write"], { cwd })).stdout).toContain("fs_write");
});

test("--facet serves one pack with a config file that exposes and denies others", async () => {
  const config = { roots: ["."], expose: ["core", "filesystem"], deny: ["filesystem"], packs: { "./rough.mjs": {} } };
  const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.json": JSON.stringify(config) });
  const { code, stdout } = await run(["tools", "--facet", "rough"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^rough +rough_print +listed/m);
  const env = { TOOLPACKS_EXPOSE: "isues" };
  const unknown = await run(["tools", "--facet", "rough"], { cwd, env });
  expect(unknown.stderr).toContain("$TOOLPACKS_EXPOSE: no facet is named isues");
});

test("--facet lists the store's tools for a pack that has only kinds, limited to these kinds", async () => {
  const cwd = folder();
  const { stdout } = await run(["tools", "--facet", "planner"], { cwd });
  expect(stdout).toMatch(/^store +store_put +mutates +listed/m);
  const put = (record: object) => [
    "call",
    "store_put",
    JSON.stringify(record),
    "--facet",
    "planner",
    "--store",
    "s.db",
  ];
  expect((await run(put({ kind: "note", record: { text: "Milk" } }), { cwd })).stdout).toMatch(/^note \w+ Milk/);
  expect((await run(put({ kind: "issue", record: {} }), { cwd })).stderr).toContain("Kinds: note, reminder.");
  expect((await run(["tools", "--facet", "filesystem", "--root", "."], { cwd })).stdout).not.toContain("store_put");
});

test("a facet that is left out can be denied, and is not served", async () => {
  const cwd = folder({ "toolpacks.config.json": '{"deny":["filesystem"]}' });
  expect((await run(["doctor"], { cwd })).code).toBe(0);
  expect((await run(["call", "fs_list", "--root", "."], { cwd })).stderr).toContain("denied by this server's");
});

test.each(["discovery", "direct", "auto"])(
  "a wrong --deny on surface %s exits with code 2 and one line",
  async (name) => {
    const { code, stderr } = await run(["--surface", name, "--deny", "isues", "--root", "."]);
    expect(stderr).toMatch(
      /^toolpacks: --deny: isues is neither a facet nor a tool; facets are filesystem, search, issues, memory, planner, undo, store, workflows(, relay)?\n$/,
    );
    expect(code).toBe(2);
  },
);

test.each(["core", "filesystem"])("a second facet named %s is refused", async (name) => {
  const pack = roughPack.replace('name: "rough"', `name: "${name}"`);
  const cwd = folder({ "rough.mjs": pack, "toolpacks.config.json": '{"roots":["."],"packs":{"./rough.mjs":{}}}' });
  expect(await run([], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`a facet named ${name} exists already`) as string,
  });
});

test("doctor prints the config file and its settings when a pack cannot be mounted", async () => {
  const cwd = folder({ "toolpacks.config.json": '{"roots":["nowhere"]}' });
  const { code, stdout } = await run(["doctor"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain(`config: ${path.join(cwd, "toolpacks.config.json")}`);
  expect(stdout).toContain("✗ ");
  writeFileSync(path.join(cwd, "toolpacks.config.json"), "{");
  expect((await run(["doctor"], { cwd })).stdout).not.toContain("none found");
});

test("two packs with a tool of the same name stop the start, and are named", async () => {
  const other = roughPack.replace('name: "rough"', 'name: "rougher"');
  const packs = { "toolpacks.config.json": '{ "packs": { "./rough.mjs": {}, "./rougher.mjs": {} } }' };
  const { code, stderr } = await run([], { cwd: folder({ ...packs, "rough.mjs": roughPack, "rougher.mjs": other }) });
  expect(code).toBe(2);
  expect(stderr).toContain("packs: tool rough_print is in pack rough and in pack rougher: rename one of them");
});

test("a misspelt option of an imported pack stops the start, and doctor reports it", async () => {
  const core = fileURLToPath(new URL("../../../../packages/core/", import.meta.url));
  const pack = `
    import { definePack } from ${JSON.stringify(pathToFileURL(path.join(core, "dist/index.js")).href)};
    import { z } from ${JSON.stringify(pathToFileURL(path.join(core, "node_modules/zod/index.js")).href)};
    const options = z.object({ path: z.string().optional() }).optional();
    export default definePack({ name: "mine", description: "Mine.", budget: 100, options, tools: () => [] });
  `;
  const cwd = folder({ "mine.mjs": pack, "toolpacks.config.json": '{"packs":{"./mine.mjs":{"pth":"x"}}}' });
  const expected = "packs../mine.mjs: mine: pth: unknown field, did you mean path?";
  expect(await run([], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) as string });
  const doctor = await run(["doctor"], { cwd });
  expect(doctor.stdout).toContain("✗ ");
  expect(doctor.stdout).toContain(expected);
});
