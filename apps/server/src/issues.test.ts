import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run, start } from "./command.fixture.ts";

const lines = [
  { id: "x-1", title: "First", status: "open", priority: 1, issue_type: "task" },
  { id: "x-2", title: "Second", dependencies: [{ depends_on_id: "x-1", type: "blocks" }] },
  { id: "x-3", title: "Third\u001b[2J", status: "in_progress", assignee: "bo" },
  { id: "x-4", title: "Fourth", status: "closed", closed_at: new Date().toISOString() },
].map((issue) => JSON.stringify(issue));

function tracker(more: readonly string[] = []) {
  const cwd = folder();
  const file = path.join(cwd, "issues.jsonl");
  writeFileSync(file, [...lines, ...more].join("\n"));
  return { cwd, file, store: ["--store", path.join(cwd, "store.db"), "--workspace", "w"] };
}

describe("issues import", () => {
  test("shows progress, and changes nothing the second time", async () => {
    const { file, store } = tracker();
    expect(await run(["issues", "import", file, ...store])).toEqual({
      code: 0,
      stdout: "added 4, updated 0, unchanged 0, bad lines 0\n",
      stderr: "4 of 4\n",
    });
    expect((await run(["issues", "import", file, ...store])).stdout).toBe(
      "added 0, updated 0, unchanged 4, bad lines 0\n",
    );
  });

  test("names each bad line by its number, and imports the others, or none with --strict", async () => {
    const { file, store } = tracker(["{", JSON.stringify({ id: "x-6" })]);
    const strict = await run(["issues", "import", file, "--strict", ...store]);
    expect(strict).toMatchObject({ code: 1, stdout: "added 0, updated 0, unchanged 0, bad lines 2\n" });
    const { code, stdout, stderr } = await run(["issues", "import", file, ...store]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "added 4, updated 0, unchanged 0, bad lines 2\n" });
    expect(stderr).toMatch(/^4 of 4\nline 5: expected JSON .*\nline 6: title: required.*\n$/);
  });

  test("names a missing file", async () => {
    const { code, stderr } = await run(["issues", "import", "none.jsonl", ...tracker().store]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "toolpacks: not_found: none.jsonl: there is no such file or directory\n",
    });
  });

  test("imports into the workspace of the project", async () => {
    const { cwd, file } = tracker();
    const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
    await run(["issues", "import", file, "--root", cwd], { env });
    const { stdout } = await run(["call", "issue_claim", '{"id": "x-1"}', "--root", cwd], {
      env: { ...env, TOOLPACKS_ACTOR: "ann" },
    });
    expect(stdout).toMatch(/^x-1 P1 task in_progress: First @ann \(blocks 1\), yours until 2/);
  });
});

describe("issues board", () => {
  const board = [
    "READY 1",
    "  x-1 P1 task open: First (blocks 1)",
    "",
    "IN PROGRESS 1",
    '  x-3 P2 task in_progress: "Third\\u001b[2J" @bo',
    "",
    "BLOCKED 1",
    "  x-2 P2 task open: Second <- x-1",
    "",
    "CLOSED LATELY 1",
    "  x-4 P2 task closed: Fourth",
    "",
  ].join("\n");

  test("shows ready, in-progress, blocked and recently closed issues", async () => {
    const { file, store } = tracker();
    await run(["issues", "import", file, ...store]);
    expect((await run(["issues", "board", ...store])).stdout).toBe(board);
  });

  test("--watch shows changes of another process, until it is interrupted", async () => {
    const { file, store, cwd } = tracker();
    await run(["issues", "import", file, ...store]);
    const watching = start(["issues", "board", "--watch", ...store], cwd);
    await expect.poll(() => watching.output.stdout, { timeout: 20_000 }).toBe(board);
    await run(["call", "issue_close", '{"ids": ["x-1"]}', ...store]);
    await expect.poll(() => watching.output.stdout, { timeout: 20_000 }).toMatch(/READY 1\n {2}x-2[^]*BLOCKED 0\n/);
    watching.child.kill("SIGINT");
    expect(await watching.ended).toBe(0);
  });
});

describe("issues answer", () => {
  test("closes the gate with the answer, which the board shows no longer, and refuses another issue", async () => {
    const { file, store } = tracker([
      JSON.stringify({ id: "g-1", title: "Which region?", issue_type: "gate", await_type: "human" }),
      JSON.stringify({ id: "g-2", title: "Deploy", dependencies: [{ depends_on_id: "g-1", type: "blocks" }] }),
    ]);
    await run(["issues", "import", file, ...store]);
    expect((await run(["issues", "board", ...store])).stdout).toContain("GATES 1\n  g-1 P2 gate open: Which region?");
    expect(await run(["issues", "answer", "x-1", "eu", ...store])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^toolpacks: invalid_input: x-1: not a gate/) as string,
    });
    expect(await run(["issues", "answer", "g-1", "eu-west", ...store])).toMatchObject({
      code: 0,
      stdout: "answered g-1: Which region?\nunblocked g-2: Deploy\n",
    });
    expect((await run(["issues", "show", "g-1", ...store])).stdout).toContain("close_reason: eu-west");
    expect((await run(["issues", "answer", "g-1", "us", ...store])).stderr).toContain(
      "conflict: g-1: answered already",
    );
    expect((await run(["issues", "board", ...store])).stdout).not.toContain("GATES");
  });
});
