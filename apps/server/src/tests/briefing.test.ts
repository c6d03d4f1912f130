import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { openSharedServer, type Caller } from "./shared-server.fixture.ts";

async function createIssue({ call }: Caller, title: string, more: object = {}): Promise<string> {
  const { text } = await call("issue_create", { issues: [{ title, ...more }] });
  return /\b(bd-\w+)/.exec(text)?.[1] ?? text;
}

async function briefed({ call }: Caller): Promise<string> {
  const { text, isError } = await call("memory_brief");
  expect(isError).toBe(false);
  return text;
}

describe("memory_brief on a server", () => {
  test("shows issues in progress and ready issues, most urgent first, without blocked and closed ones and epics", async () => {
    const { connect } = await openSharedServer({ surface: "direct" });
    const local = await connect();
    expect(await briefed(local)).toMatch(/^Nothing is recorded in the workspace \S+ yet\.$/);
    const claimed = await createIssue(local, "Mend the roof");
    await local.call("issue_claim", { id: claimed, actor: "ann" });
    const later = await createIssue(local, "Paint the door", { priority: 3 });
    const urgent = await createIssue(local, "Stop the leak", { priority: 0, issue_type: "bug" });
    const blocked = await createIssue(local, "Dry the floor");
    await local.call("issue_depend", { id: blocked, on: urgent });
    const text = await briefed(local);
    expect(text).toContain(`Issues in progress:\n- ${claimed}: Mend the roof (P2 task, assignee ann)\n\n`);
    expect(text).toContain(`Ready issues:\n- ${urgent}: Stop the leak (P0 bug)\n- ${later}: Paint the door (P3 task)`);
    expect(text).not.toContain("Dry the floor");
    await local.call("issue_close", { ids: [urgent] });
    expect(await briefed(local)).not.toContain("Stop the leak");
    await createIssue(local, "Sell the house", { priority: 0, issue_type: "epic" });
    expect(await briefed(local)).not.toContain("Sell the house");
  });

  test("names how many ready issues it leaves out, and the tool that shows them", async () => {
    const { connect } = await openSharedServer({ surface: "direct" });
    const local = await connect();
    const issues = Array.from({ length: 60 }, (_, at) => ({ title: `Task number ${at}` }));
    await local.call("issue_create", { issues });
    expect(await briefed(local)).toMatch(/\nLeft out: 48 ready issues \(issue_ready\)$/);
  });

  test.each([
    ["the issues pack is denied", { deny: ["issues"] }],
    ["only the memory pack is mounted", { facet: "memory" }],
  ])("shows no issues when %s", async (_when, flags) => {
    const store = `${folder()}/store.db`;
    const { connect, runtime } = await openSharedServer({ surface: "direct", store, workspace: "w" });
    const writer = await connect();
    await createIssue(writer, "Mend the roof");
    await writer.call("memory_remember", { text: "The roof is red." });
    await runtime.finish(0);
    const reader = await (await openSharedServer({ surface: "direct", store, workspace: "w", ...flags })).connect();
    const text = await briefed(reader);
    expect(text).toContain("The roof is red.");
    expect(text).not.toContain("Mend the roof");
  });

  test("shows nothing of another workspace", async () => {
    const store = `${folder()}/store.db`;
    const [first, second] = await Promise.all(
      ["first", "second"].map((workspace) => openSharedServer({ surface: "direct", store, workspace })),
    );
    const writer = await first?.connect();
    await writer?.call("memory_remember", { text: "The first plan." });
    await writer?.call("state_save", { name: "s", memory: "The first memory.", goal: "The first goal." });
    const reader = await second?.connect();
    expect(reader && (await briefed(reader))).toMatch(/^Nothing is recorded in the workspace second yet\.$/);
  });
});

describe("toolpacks memory brief", () => {
  const project = () => {
    const cwd = folder({ "toolpacks.config.json": "{}" });
    const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
    return (...args: readonly string[]) => run([...args, "--workspace", "w"], { cwd, env });
  };

  test("prints the text of the briefing, or its structured result as JSON, within --tokens", async () => {
    const toolpacks = project();
    await toolpacks("memory", "remember", "Deploys freeze on Fridays.");
    await toolpacks("issues", "create", "Mend the roof");
    const { code, stdout, stderr } = await toolpacks("memory", "brief");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^Briefing for the workspace w\n\(records .*\)\n\nReady issues:\n- bd-\w+: Mend the roof \(P2 task\)\n\n/,
    );
    expect(stdout).toMatch(/- Deploys freeze on Fridays\.\n$/);
    const { parts } = JSON.parse((await toolpacks("memory", "brief", "--json")).stdout) as { parts: readonly object[] };
    expect(parts).toMatchObject([{ title: "Ready issues" }, { lines: ["Deploys freeze on Fridays."] }]);
  });

  test("prints one line for an empty workspace", async () => {
    const { stdout } = await project()("memory", "brief");
    expect(stdout).toBe("Nothing is recorded in the workspace w yet.\n");
  });
});
