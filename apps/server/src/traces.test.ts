import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run, start } from "./command.fixture.ts";

function project() {
  const cwd = folder();
  const flags = ["--store", path.join(cwd, "store.db"), "--workspace", "w"];
  const toolpacks = (...args: readonly string[]) => run([...args, ...flags], { cwd });
  return { toolpacks, flags, cwd };
}

/** The tool and the outcome of each row, without the titles. */
function calls(table: string): readonly string[] {
  const rows = table.trimEnd().split("\n").slice(1);
  return rows.map((row) => row.split(/ {2,}/).slice(1, 3).join(" "));
}

describe("toolpacks traces", () => {
  test("lists past calls, the newest last, by outcome, tool and time", async () => {
    const { toolpacks } = project();
    await toolpacks("issues", "list");
    await toolpacks("issues", "show", "none");
    await toolpacks("memory", "recall", "x");
    const list = async (...flags: readonly string[]) => calls((await toolpacks("traces", ...flags)).stdout);
    const first = await toolpacks("traces");
    expect(calls(first.stdout)).toEqual(["issue_list ok", "issue_show not_found", "memory_recall ok"]);
    expect(first.stdout).toMatch(/\d\d:\d\d:\d\d {2}issue_show +not_found +\d+ {2}\{"ids":\["none"\]\}/);
    expect(await list("--failed")).toEqual(["issue_show not_found"]);
    expect(await list("--tool", "issue_*")).toEqual(["issue_list ok", "issue_show not_found"]);
    expect(await list("--tool", "issue_list")).toEqual(["issue_list ok"]);
    expect(await list("--tool", "issue_list", "--since", "1h")).toEqual(["issue_list ok"]);
    expect(await toolpacks("traces", "--since", "2999-01-01")).toEqual({
      code: 0,
      stdout: "",
      stderr: "no calls match\n",
    });
    expect(await toolpacks("traces", "--limit", "1", "--tool", "issue_*")).toMatchObject({
      stdout: expect.stringContaining("issue_show"),
      stderr: "the last 1 of 2 calls; --limit 2 shows all\n",
    });
    const json = JSON.parse((await toolpacks("traces", "--failed", "--json")).stdout) as object;
    expect(json).toMatchObject({ items: [{ tool: "issue_show", outcome: "not_found" }], total: 1 });
  });

  test.each(["soon", "5", "5w", "12/31/2027"])("--since %s is refused", async (since) => {
    const { code, stderr } = await project().toolpacks("traces", "--since", since);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("such as 30m, or a date") });
  });

  test("--follow prints new calls of other processes until it is interrupted, and leaves no traces", async () => {
    const { toolpacks, flags, cwd } = project();
    await toolpacks("issues", "list");
    const all = start(["traces", "--follow", ...flags], cwd);
    const failed = start(["traces", "--follow", "--failed", "--tool", "issue_*", "--json", ...flags], cwd);
    await expect.poll(() => calls(all.output.stdout), { timeout: 20_000 }).toEqual(["issue_list ok"]);
    await toolpacks("issues", "show", "none");
    await expect
      .poll(() => calls(all.output.stdout), { timeout: 20_000 })
      .toEqual(["issue_list ok", "issue_show not_found"]);
    await expect.poll(() => failed.output.stdout, { timeout: 20_000 }).toContain('"tool":"issue_show"');
    await toolpacks("issues", "create", "One");
    await expect.poll(() => calls(all.output.stdout), { timeout: 20_000 }).toContain("issue_create ok");
    for (const { child } of [all, failed]) child.kill("SIGINT");
    expect(await Promise.all([all.ended, failed.ended])).toEqual([0, 0]);
    expect(failed.output.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(all.output.stderr + failed.output.stderr).toBe("");
    const { stdout } = await toolpacks("traces");
    expect(calls(stdout)).toEqual(["issue_list ok", "issue_show not_found", "issue_create ok"]);
  });

  test("is refused where the tool is denied", async () => {
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ deny: ["trace_timeline"] }) });
    for (const flags of [[], ["--follow"]]) {
      const { code, stderr } = await run(["traces", ...flags, "--store", path.join(cwd, "store.db")], { cwd });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("remove trace_timeline from deny"),
      });
    }
  });
});
