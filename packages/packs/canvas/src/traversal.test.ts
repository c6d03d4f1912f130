import { createCatalog, createDispatcher } from "@toolpacks/core";
import { createEscapeFolder } from "@toolpacks/testkit";
import { afterAll, describe, expect, test } from "vitest";
import { canvas } from "./canvas.ts";

const canary = "canary-71c0de";

/** A canvas that every tool accepts, so that only containment keeps it from being read and changed. */
const secret = JSON.stringify({ nodes: [{ id: canary, type: "text", text: canary, x: 0, y: 0, width: 9, height: 9 }] });
const folder = createEscapeFolder({ secret, inside: "{}", extension: "canvas" });
const dispatcher = createDispatcher(createCatalog({ packs: [canvas({ roots: [folder.root], write: true })] }));

afterAll(() => folder.close());

const calls: Readonly<Record<string, (path: string) => object>> = {
  canvas_read: (path) => ({ path }),
  "canvas_read part": (path) => ({ path, id: "x" }),
  canvas_render: (path) => ({ path }),
  canvas_write: (path) => ({ path, nodes: [{ text: "overwritten" }], overwrite: true }),
  canvas_update: (path) => ({ path, add: [{ text: "more" }] }),
};

test("the files outside are canvases that the tools would change", async () => {
  const open = createDispatcher(createCatalog({ packs: [canvas({ roots: [folder.base] })] }));
  const outcome = await open.dispatch({ name: "canvas_read", args: { path: "elsewhere/secret.canvas" } });
  expect(JSON.stringify(outcome)).toContain(canary);
});

describe.each(Object.entries(calls))("%s", (name, args) => {
  const writes = name === "canvas_write" || name === "canvas_update";
  const tried = writes ? folder.writableEscapes : folder.escapes;
  test.each(tried.map((escape) => [escape.slice(0, 60), escape] as const))(
    "does not get out by %j",
    async (_, escape) => {
      const before = folder.outside();
      const outcome = await dispatcher.dispatch({ name: name.split(" ", 1)[0] ?? "", args: { ...args(escape) } });
      const answer = JSON.stringify(outcome);
      expect(answer).not.toContain(canary);
      expect(answer).not.toContain("root:x:0");
      if (!escape.includes(folder.base)) expect(answer).not.toContain(folder.base);
      expect(answer).not.toContain('"internal"');
      expect(folder.outside()).toBe(before);
    },
  );
});

test("a list leaves out canvases behind links", async () => {
  const outcome = await dispatcher.dispatch({ name: "canvas_read", args: {} });
  const { canvases } = (outcome as unknown as { readonly value: { readonly canvases: readonly string[] } }).value;
  expect(canvases).toContain("inside.canvas");
  expect(canvases.filter((name) => /^(to-|chain|folder-chain|dangling|sub\/)/.test(name))).toEqual([]);
});

test("protected names are read and not changed", async () => {
  const outcome = await dispatcher.dispatch({
    name: "canvas_write",
    args: { path: ".git/a.canvas", nodes: [{ text: "a" }] },
  });
  expect(outcome).toMatchObject({ ok: false });
});
