import { describe, expect, onTestFinished, test, vi } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { openSharedServer, type Caller } from "./shared-server.fixture.ts";

/** A server with two principals and a local user, and a tool list that contains every tool. */
async function openDirect() {
  const config = `${folder({
    "toolpacks.json": JSON.stringify({
      workflows: {
        pair: {
          steps: [
            { id: "first", step: "value", params: { value: "${input}" } },
            { id: "second", step: "value", params: { value: "${steps.first}" } },
          ],
        },
      },
    }),
  })}/toolpacks.json`;
  const { runtime, connect } = await openSharedServer({
    surface: "direct",
    results: "structured",
    root: [folder()],
    config,
  });
  const [ann, ben, local] = [await connect("ann"), await connect("ben"), await connect()];
  return { runtime, ann, ben, local, connect };
}

const failing = [
  { id: "put", tool: "memory_remember", params: { text: "The lamp is red.", entity: "lamp" } },
  { tool: "fs_read", params: { path: "missing.txt" } },
];

/** Runs a workflow that fails, and returns its report's id. */
async function failedRun({ call }: Caller): Promise<string> {
  const { value } = await call("workflow_eval", { steps: failing });
  return String(value["report"]);
}

describe("a report", () => {
  test("and its results are as unknown to another principal as one that does not exist", async () => {
    const { ann, ben, local } = await openDirect();
    const report = await failedRun(ann);
    const unknown = await ben.call("workflow_report", { report: "nosuchreport" });
    for (const args of [{ report }, { report, step: "put" }, { report, format: "data" }]) {
      const theirs = await ben.call("workflow_report", args);
      expect(theirs.text).toBe(unknown.text.replaceAll("nosuchreport", report));
      expect((await ann.call("workflow_report", args)).isError).toBe(false);
      expect((await local.call("workflow_report", args)).isError).toBe(false);
    }
    expect((await ben.call("workflow_report")).text).toContain("no workflow has run yet");
    expect((await ann.call("workflow_report")).value["report"]).toBe(report);
    expect((await local.call("workflow_report")).value["report"]).toBe(report);
  });

  test("can be resumed only by its own principal", async () => {
    const { ann, ben } = await openDirect();
    const resume = await failedRun(ann);
    expect((await ben.call("workflow_run", { resume })).text).toContain(`there is no report ${resume}`);
    expect((await ann.call("workflow_run", { resume })).value["report"]).not.toBe(resume);
    const { value: again } = await ann.call("workflow_report", { report: resume });
    expect(again["resumedBy"]).toBeDefined();
  });

  test("is in the lists of its own principal, and of the local user who owns the store", async () => {
    const { ann, ben, local } = await openDirect();
    const report = await failedRun(ann);
    const own = await failedRun(ben);
    const listed = async ({ call }: Caller, query: object = {}) => {
      const { value } = await call("store_query", { kind: "report", ...query });
      return { ids: (value["items"] as { id: string }[]).map(({ id }) => id), total: value["total"] };
    };
    expect(await listed(ann)).toEqual({ ids: [report], total: 1 });
    expect(await listed(ben)).toEqual({ ids: [own], total: 1 });
    expect((await listed(local)).total).toBe(2);
    for (const filter of [{ id: report }, { or: [{ id: report }, { status: "failed" }] }, { not: { id: own } }]) {
      expect((await listed(ben, { filter, sinceGeneration: 0 })).ids).not.toContain(report);
    }
    const caller = JSON.stringify(["subject", null, "ann"]);
    expect((await listed(ben, { filter: { caller } })).total).toBe(0);
    expect((await listed(local, { filter: { caller } })).ids).toEqual([report]);
    expect((await ben.call("store_query", { kind: "report", limit: 0 })).value["total"]).toBe(1);
  });
});

test("a handle opens only for its own principal, through the tool and as a resource", async () => {
  const root = folder({ "long.txt": Array.from({ length: 9_000 }, (_, at) => `line ${at}`).join("\n") });
  const { connect } = await openSharedServer({ surface: "discovery", root: [root] });
  const [ann, ben, local] = [await connect("ann"), await connect("ben"), await connect()];
  const invoke = ({ call }: Caller, name: string, args: object) => call("tool_invoke", { name, args });
  const handleFor = async (caller: Caller) => {
    const { whole } = await invoke(caller, "fs_read", { path: "long.txt" });
    return /relay:\/\/[a-z2-7]{20}/.exec(whole)?.[0] ?? "";
  };
  const handle = await handleFor(ann);
  expect((await ann.call("relay_read", { handle })).whole).toContain("line 1");
  expect((await ann.client.readResource({ uri: handle })).contents).toHaveLength(1);
  for (const other of [ben, local]) {
    expect((await other.call("relay_read", { handle })).text).toContain("is unknown or has expired");
    await expect(other.client.readResource({ uri: handle })).rejects.toThrow("is unknown or has expired");
    const remembered = await invoke(other, "memory_remember", { text: handle });
    expect(remembered.text).toContain("is unknown or has expired");
    expect(await handleFor(other)).not.toBe(handle);
  }
});

test("traces of a principal's calls are found by it and the local user alone, by every tool that shows traces", async () => {
  const { ann, ben, local } = await openDirect();
  await ann.call("fs_list", { path: "./marker-of-ann" });
  await ben.call("fs_list", { path: "./marker-of-ben" });
  const views: readonly (readonly [string, object])[] = [
    ["trace_search", { query: "marker fs_list path" }],
    ["trace_timeline", { limit: 50 }],
    ["workspace_load", { tokens: 50_000 }],
    ["store_query", { kind: "trace", fields: ["*"], limit: 100 }],
    ["store_query", { kind: "trace", text: "marker", sinceGeneration: 0 }],
  ];
  for (const [name, args] of views) {
    const [own, other, all] = [await ann.call(name, args), await ben.call(name, args), await local.call(name, args)];
    expect(own.whole, name).toContain("marker-of-ann");
    expect(own.whole, name).not.toContain("marker-of-ben");
    expect(other.whole, name).toContain("marker-of-ben");
    expect(other.whole, name).not.toContain("marker-of-ann");
    expect(all.whole, name).toContain("marker-of-ann");
    expect(all.whole, name).toContain("marker-of-ben");
  }
  const timeline = async (client: typeof local) => {
    const { items } = (await client.call("trace_timeline", { tool: "fs_list" })).value as {
      items: { caller?: string }[];
    };
    return items.map(({ caller }) => caller);
  };
  expect([await timeline(local), await timeline(ann)]).toEqual([["ben", "ann"], [undefined]]);
});

test("a page's cursor is refused for another principal", async () => {
  const { ann, ben } = await openDirect();
  for (let times = 0; times < 3; times += 1) await ann.call("fs_list");
  for (let times = 0; times < 3; times += 1) await ben.call("fs_list");
  const { cursor } = (await ann.call("trace_timeline", { limit: 1 })).value;
  expect((await ann.call("trace_timeline", { limit: 1, cursor })).isError).toBe(false);
  expect((await ben.call("trace_timeline", { limit: 1, cursor })).text).toContain(
    "cursor: it belongs to another query",
  );
});

test("an operationId of another principal neither answers with its record nor conflicts", async () => {
  const { ann, ben } = await openDirect();
  const put = (text: string) => ({ kind: "note", record: { text }, operationId: "the same" });
  const first = await ann.call("store_put", put("of ann"));
  expect((await ann.call("store_put", put("of ann"))).value["id"]).toBe(first.value["id"]);
  const second = await ben.call("store_put", put("of ann"));
  expect(second.isError).toBe(false);
  expect(second.value["id"]).not.toBe(first.value["id"]);
  expect((await ben.call("store_put", put("of ben"))).text).toContain("operationId: it was used for a different put");
});

describe("a claim", () => {
  const assignee = async ({ call }: Caller, id: string) => {
    const { value } = await call("store_query", { kind: "issue", filter: { id }, fields: ["assignee"] });
    return (value["items"] as { assignee?: string }[])[0]?.assignee;
  };

  test("belongs to the principal, whatever name it says that it has", async () => {
    const { ann, ben } = await openDirect();
    const created = await ann.call("issue_create", { issues: [{ title: "Paint the door" }] });
    const id = /bd-\w+/.exec(created.whole)?.[0] ?? "";
    expect((await ann.call("issue_claim", { id })).isError).toBe(false);
    expect(await assignee(ben, id)).toBe("ann");
    for (const actor of [undefined, "ann", "ann/agent"]) {
      expect((await ben.call("issue_claim", { id, actor })).text).toContain("claimed by ann until");
      expect((await ben.call("issue_release", { id, actor })).text).toContain("claimed by ann, not ben");
    }
    expect((await ann.call("issue_claim", { id })).isError).toBe(false);
    expect((await ann.call("issue_release", { id })).isError).toBe(false);
  });

  test("and a new issue name the principal, not the session of the server's process", async () => {
    vi.stubEnv("TOOLPACKS_ACTOR", "the-process");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { ann, local } = await openDirect();
    for (const [{ call }, name] of [
      [ann, "ann"],
      [local, "the-process"],
    ] as const) {
      await call("issue_create", { issues: [{ title: `Of ${name}` }] });
      await call("issue_claim");
      const { value } = await call("store_query", { kind: "issue", text: name, fields: ["assignee", "created_by"] });
      expect(value["items"]).toEqual([expect.objectContaining({ assignee: name, created_by: name })]);
    }
  });

  test("tells a principal's agents apart, also by a name that an answer showed", async () => {
    const { ann, ben } = await openDirect();
    const created = await ann.call("issue_create", { issues: [{ title: "Paint the door" }] });
    const id = /bd-\w+/.exec(created.whole)?.[0] ?? "";
    expect((await ann.call("issue_claim", { id, actor: "agent" })).isError).toBe(false);
    expect(await assignee(ann, id)).toBe("ann/agent");
    expect((await ben.call("issue_claim", { id, actor: "agent" })).text).toContain("claimed by ann/agent until");
    expect((await ann.call("issue_claim", { id, actor: "other" })).text).toContain("claimed by ann/agent until");
    expect((await ann.call("issue_release", { id, actor: "ann/agent" })).isError).toBe(false);
    await ben.call("issue_comment", { id, text: "Which colour?", actor: "ann" });
    expect((await ann.call("issue_show", { ids: [id] })).whole).toContain("ben/ann");
  });
});

describe("on the two-tool surface", () => {
  const context = { sessionId: "s1", memory: "Nothing yet.", goal: "find it" };

  test("sessions of the same name and batches are separate", async () => {
    const { connect } = await openSharedServer({ surface: "two-tool", results: "structured" });
    const [ann, ben] = [await connect("ann"), await connect("ben")];
    const request = { context, request: [{ pack: "planner" }] };
    const first = await ann.call("getTools", request);
    const session = String(first.value["session"]);
    expect((await ben.call("getTools", request)).value["session"]).not.toBe(session);

    const note = (text: string) => [{ pack: "store", tool: "put", params: { kind: "note", record: { text } } }];
    const batch = (sessionId: string, text: string) => ({
      context: { ...context, sessionId },
      calls: note(text),
      operationId: "retry-1",
    });
    const done = await ann.call("useTools", batch(session, "of ann"));
    expect(done.isError).toBe(false);
    expect((await ann.call("useTools", batch(session, "of ann"))).whole).toBe(done.whole);
    const idOf = (whole: string) => /"id":"(?!s1")(\w+)"/.exec(whole)?.[1];
    for (const sessionId of ["s1", session]) {
      const theirs = await ben.call("useTools", batch(sessionId, "of ann"));
      expect(theirs.isError).toBe(false);
      expect(idOf(theirs.whole)).not.toBe(idOf(done.whole));
    }
    expect((await ben.call("useTools", batch(session, "of ben"))).text).toContain(
      "another batch of this session has it",
    );
  });
});
