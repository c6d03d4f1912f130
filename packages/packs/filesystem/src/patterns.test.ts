import { linkSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folderOf, onWire, type Wire } from "./wire.fixture.ts";

async function withWire<T>(
  files: Readonly<Record<string, string>>,
  use: (wire: Wire, root: string) => Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<T> {
  const root = await folderOf(files);
  const wire = await onWire({ roots: [root], ...options });
  try {
    return await use(wire, root);
  } finally {
    await wire.close();
    await rm(root, { recursive: true });
  }
}

const pathsOf = async (wire: Wire, args: object = {}) => {
  const page = await wire.value("fs_list", { depth: 64, limit: 5000, ...args });
  return (page["items"] as readonly { path: string; type: string }[]).map(({ path: one, type }) =>
    type === "directory" ? `${one}/` : one,
  );
};

const long = "a".repeat(200);
const deep = Array.from({ length: 60 }, () => "a").join("/");

/** Patterns for which a backtracking matcher takes exponential time. */
const catastrophic = [
  `${"*a".repeat(100)}b`,
  `${"**/a/".repeat(12)}b`,
  `${"**/".repeat(300)}b`,
  `${"a*/**/".repeat(60)}b`,
  `${"*a?".repeat(60)}b`,
  `${"[a-a]*".repeat(60)}b`,
  `${"*[!b]".repeat(60)}b`,
];

describe("a catastrophic pattern is matched in linear time", () => {
  const files = { [long]: "", [`${deep}/c`]: "", ok: "" };

  test.each(catastrophic)("as the glob %#", async (glob) => {
    await withWire(files, async (wire) => {
      const started = performance.now();
      expect(await pathsOf(wire, { glob })).toEqual([]);
      expect(performance.now() - started).toBeLessThan(2_000);
    });
  });

  test("as rules of .gitignore", async () => {
    const rules = Array.from({ length: 200 }, () => catastrophic)
      .flat()
      .join("\n");
    await withWire({ ...files, ".gitignore": rules }, async (wire) => {
      const started = performance.now();
      expect(await pathsOf(wire)).toContain("ok");
      expect(performance.now() - started).toBeLessThan(10_000);
    });
  });

  test("a slow walk ends with a part of the entries, and other calls are answered meanwhile", async () => {
    const rule = `${"*aaaaaaaaaaaaaaaaaaaab".repeat(8)}*`;
    const rules = Array.from({ length: 2_000 }, (_, at) => `${rule}${at}`).join("\n");
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`${"a".repeat(230)}${at}`, ""]));
    await withWire(
      { ...many, ".gitignore": rules },
      async (wire) => {
        const started = performance.now();
        const list = wire.ask("fs_list", { limit: 5_000 });
        await wire.ask("fs_stat", { path: "." });
        expect(performance.now() - started).toBeLessThan(450);
        expect(await list).toContain("Stopped after 0.5 s; the total is a lower bound.");
        expect(performance.now() - started).toBeLessThan(5_000);
      },
      { timeoutMs: 500 },
    );
  });
});

test.each([
  ["@(+(a*)|+(a*a*))b", "@( begins an extended glob"],
  ["!(a)", "!( begins an extended glob"],
  ["src/+(a|b).ts", "Write alternatives as {a,b}"],
  ["{a,b", "unclosed alternate group"],
  ["a}", "unopened alternate group"],
  ["[a", "has no end"],
  ["{a,b}".repeat(10), "expected at most 500 alternatives"],
])("fs_list rejects the glob %s: %s", async (glob, problem) => {
  await withWire({ a: "" }, async (wire) => {
    const answer = await wire.ask("fs_list", { glob });
    expect(answer).toMatch(/^invalid_input: glob: /);
    expect(answer).toContain(problem);
  });
});

test.each([
  ["*.ts", ["a.ts", "src/.hidden.ts", "src/b.ts", "src/deep/c.ts"]],
  ["src/*.ts", ["src/.hidden.ts", "src/b.ts"]],
  ["./src/*.ts", ["src/.hidden.ts", "src/b.ts"]],
  ["/*.ts", ["a.ts"]],
  ["src/**", ["src/.hidden.ts", "src/b.ts", "src/b.tsx", "src/deep/c.ts"]],
  ["src/", ["src/.hidden.ts", "src/b.ts", "src/b.tsx", "src/deep/c.ts"]],
  ["**/deep/*", ["src/deep/c.ts"]],
  ["src/**/c.ts", ["src/deep/c.ts"]],
  ["**/{b,c}.{ts,tsx}", ["src/b.ts", "src/b.tsx", "src/deep/c.ts"]],
  ["{a,src/{b,deep/c}}.ts", ["a.ts", "src/b.ts", "src/deep/c.ts"]],
  ["?.ts", ["a.ts", "src/b.ts", "src/deep/c.ts"]],
  ["[a-b].ts", ["a.ts", "src/b.ts"]],
  ["[!a].ts", ["src/b.ts", "src/deep/c.ts"]],
  ["!*.ts", ["(x)/page", "src/b.tsx"]],
  ["(x)/*", ["(x)/page"]],
  ["\\(x\\)/*", ["(x)/page"]],
  ["**", ["(x)/page", "a.ts", "src/.hidden.ts", "src/b.ts", "src/b.tsx", "src/deep/c.ts"]],
])("fs_list finds by the glob %s", async (glob, found) => {
  const names = ["a.ts", "src/b.ts", "src/b.tsx", "src/.hidden.ts", "src/deep/c.ts", "(x)/page"];
  await withWire(Object.fromEntries(names.map((name) => [name, ""])), async (wire) => {
    expect((await pathsOf(wire, { glob })).toSorted()).toEqual(found);
  });
});

test("a .gitignore with many unclosed classes is read fast", async () => {
  await withWire({ a: "", ".gitignore": `${"[".repeat(990)}/\n`.repeat(1_000) }, async (wire) => {
    const started = performance.now();
    expect(await pathsOf(wire)).toContain("a");
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

test("a pipe as .gitignore does not block", async () => {
  await withWire({ "sub/a": "" }, async (wire, root) => {
    for (const name of [".gitignore", "sub/.gitignore"])
      linkSync(process.env["TEST_FIFO"] ?? "", path.join(root, name));
    const started = performance.now();
    expect(await pathsOf(wire)).toContain("sub/a");
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

test("an ignored folder is listed as empty, and completely with ignored", async () => {
  await withWire({ ".gitignore": "build/\n", "build/a/b": "" }, async (wire) => {
    expect(await wire.ask("fs_list", { path: "build/a" })).toBe("none");
    expect(await wire.ask("fs_list", { path: "build/a", ignored: true })).toBe("build/a/b 0");
  });
});
