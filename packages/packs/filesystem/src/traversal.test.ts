import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createCatalog, createDispatcher } from "@toolpacks/core";
import { createEscapeFolder } from "@toolpacks/testkit";
import { afterAll, describe, expect, test } from "vitest";
import { filesystem } from "./filesystem.ts";

const canary = "canary-5f1d0c";
const folder = createEscapeFolder({ secret: canary });
const { base, root: data, escapes, writableEscapes } = folder;
const outside = () => folder.outside();
const dispatcher = createDispatcher(createCatalog({ packs: [filesystem({ roots: [data], write: true })] }));

afterAll(() => folder.close());

/** A tool's arguments with a tested path in one of its path fields. */
type Attempts = Readonly<Record<string, (bad: string) => Record<string, unknown>>>;

const reading: Attempts = {
  fs_read: (bad) => ({ path: bad }),
  "fs_read several": (bad) => ({ paths: [bad, "inside.txt"] }),
  fs_list: (bad) => ({ path: bad, depth: 2, ignored: true, limit: 100 }),
  "fs_list glob": (bad) => ({ glob: bad.slice(0, 900), limit: 100 }),
  fs_stat: (bad) => ({ path: bad }),
  "fs_copy from": (bad) => ({ from: bad, to: "copied", overwrite: true }),
};

const writing: Attempts = {
  fs_write: (bad) => ({ path: bad, content: "overwritten", overwrite: true }),
  "fs_write parents": (bad) => ({ path: `${bad}/made/new.txt`, content: "made", parents: true }),
  fs_edit: (bad) => ({ path: bad, edits: [{ append: "more" }] }),
  "fs_copy to": (bad) => ({ from: "inside.txt", to: bad }),
  fs_mkdir: (bad) => ({ path: `${bad}/made` }),
};

test("there are at least 60 escapes", () => {
  expect(new Set(escapes).size).toBeGreaterThanOrEqual(60);
});

const attempts = [
  ...Object.entries(reading).map(([name, args]) => ({ name, args, tried: escapes })),
  ...Object.entries(writing).map(([name, args]) => ({
    name,
    args,
    tried: writableEscapes,
  })),
];

describe.each(attempts)("$name", ({ name, args, tried }) => {
  test.each(tried.map((escape) => [escape.slice(0, 60), escape] as const))(
    "does not get out by %j",
    async (_, escape) => {
      const before = outside();
      const outcome = await dispatcher.dispatch({
        name: name.split(" ", 1)[0] ?? "",
        args: args(escape),
      });
      const answer = JSON.stringify(outcome);
      expect(answer).not.toContain(canary);
      expect(answer).not.toContain("root:x:0");
      if (!escape.includes(base)) expect(answer).not.toContain(base);
      expect(answer).not.toContain('"internal"');
      expect(outside()).toBe(before);
    },
  );
});

describe("moving and deleting do not follow a link", () => {
  test("deleting a link keeps its target", async () => {
    symlinkSync("../elsewhere", path.join(base, "data/doomed"));
    const before = outside();
    const outcome = await dispatcher.dispatch({ name: "fs_delete", args: { path: "doomed", permanent: true } });
    expect(outcome.ok).toBe(true);
    expect(outside()).toBe(before);
  });

  test.each(["../secret.txt", "to-folder/secret.txt", "to-parent/secret.txt", "{base}/secret.txt", ".", ".."])(
    "neither moves nor deletes %j",
    async (escape) => {
      const bad = escape.replace("{base}", base);
      const before = outside();
      for (const [name, args] of [
        ["fs_delete", { path: bad }],
        ["fs_delete", { path: bad, permanent: true }],
        ["fs_move", { from: bad, to: "stolen" }],
        ["fs_move", { from: "inside.txt", to: bad === "." ? "../out" : bad }],
        ["fs_copy", { from: bad, to: "stolen" }],
      ] as const) {
        const outcome = await dispatcher.dispatch({ name, args });
        expect(outcome, `${name} ${JSON.stringify(args)}`).toMatchObject({ ok: false });
      }
      expect(outside()).toBe(before);
      expect(readFileSync(path.join(base, "data/inside.txt"), "utf8")).toBeTruthy();
    },
  );

  test("a trash that is a link is not followed", async () => {
    const root = mkdtempSync(path.join(base, "data/nested-"));
    writeFileSync(path.join(root, "a.txt"), "a");
    symlinkSync("../../elsewhere", path.join(root, ".trash"));
    const nested = createDispatcher(createCatalog({ packs: [filesystem({ roots: [root], write: true })] }));
    const before = outside();
    expect(await nested.dispatch({ name: "fs_delete", args: { path: "a.txt" } })).toMatchObject({
      failure: { code: "denied" },
    });
    expect(outside()).toBe(before);
  });
});
