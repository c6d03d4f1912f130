// Runs that make issues and wait for them, over stdio: an `ask` with its gate, and an `issue` step.
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const workflows = {
  release: {
    input: { version: "string" },
    steps: [
      { id: "go", ask: "Release ${input.version}?", choices: ["yes", "no"], deadline: "2d" },
      { step: "value", params: { text: "${steps.go.answer} to ${input.version}" } },
    ],
  },
  build: {
    input: { what: "string" },
    steps: [
      {
        id: "work",
        issue: [{ title: "Design ${input.what}" }, { title: "Make ${input.what}", depends: ["#1"], priority: 1 }],
      },
      { step: "value", params: { text: "${steps.work.issues[0].reason}, ${steps.work.issues[1].title}" } },
    ],
  },
};

interface Report {
  readonly status: string;
  readonly report: string;
  readonly result?: unknown;
  readonly waits?: readonly { readonly issue?: string }[];
  readonly results?: Record<string, { text?: string }>;
}

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function project(config: object = {}) {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows, ...config }) });
  return { cwd, env: { TOOLPACKS_STORE: path.join(cwd, "store.db"), TOOLPACKS_WORKSPACE: "w" } };
}

/** Starts a server, and resolves to functions that call its tools. */
async function serve({ cwd, env }: ReturnType<typeof project>) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["serve", "--trust", "--surface", "direct"];
  await client.connect(serverTransport(args, { cwd, env }));
  clients.push(client);
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const { structuredContent, content } = await client.callTool({ name, arguments: input });
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return { value: structuredContent as Report & { items: { id: string; title: string }[] }, text };
  };
  const last = async (workflow: string) => (await call("workflow_report", { workflow })).value;
  return { call, last };
}

const waitLong = { timeout: 20_000, interval: 100 };

describe("a question", () => {
  test("is a gate, and a run goes on when the gate is closed with an answer that fits", async () => {
    const place = project();
    const { call, last } = await serve(place);
    const began = await call("workflow_run", { name: "release", input: { version: "2.0" } });
    const gate = began.value.waits?.[0]?.issue ?? "";
    expect(began.text).toContain(`asks: Release 2.0? (yes, no), until 20`);
    expect(began.text).toContain(`gate ${gate}`);
    expect((await call("issue_ready")).text).toMatch(
      new RegExp(`^${gate} waits for a person, deadline 20.*: Release 2\\.0\\? \\(`, "m"),
    );
    expect((await call("issue_show", { ids: [gate] })).text).toContain("Answers: yes, no");
    const other = await serve(place);
    await other.call("issue_close", { ids: [gate], reason: "maybe" });
    const second = async () => (await last("release")).waits?.[0]?.issue ?? gate;
    await expect.poll(second, waitLong).not.toBe(gate);
    const again = await second();
    expect((await call("issue_show", { ids: [again] })).text).toContain(
      'An answer did not fit: answer: expected one of yes, no, received "maybe"',
    );
    await other.call("issue_close", { ids: [again], reason: "yes" });
    await expect
      .poll(() => last("release"), waitLong)
      .toMatchObject({ status: "ok", results: { step2: { text: "yes to 2.0" } } });
    expect((await call("issue_ready")).text).toBe("none");
    expect((await call("issue_list", { where: { issue_type: "gate", status: "closed" } })).value.items).toHaveLength(2);
  });

  test("that is answered closes its gate", async () => {
    const { call } = await serve(project());
    const { value } = await call("workflow_run", { name: "release", input: { version: "3" } });
    const gate = value.waits?.[0]?.issue ?? "";
    const resumed = await call("workflow_run", { resume: value.report, answer: "no" });
    expect(resumed.value).toMatchObject({ status: "ok", result: { text: "no to 3" } });
    expect((await call("issue_show", { ids: [gate] })).text).toMatch(/status: closed[^]*close_reason: no/);
  });

  test.each<[string, object]>([
    ["no pack keeps issues", { packs: { issues: false } }],
    ["issues may not be created", { deny: ["issue_create"] }],
  ])("has no gate where %s", async (_, config) => {
    const { call } = await serve(project(config));
    const { value } = await call("workflow_run", { name: "release", input: { version: "3" } });
    expect(value).toMatchObject({
      status: "waiting",
      waits: [expect.not.objectContaining({ issue: expect.anything() })],
    });
    const resumed = await call("workflow_run", { resume: value.report, answer: "yes" });
    expect(resumed.value).toMatchObject({ status: "ok", result: { text: "yes to 3" } });
  });
});

describe("a step `issue`", () => {
  test("makes issues, and the run goes on when all are closed", async () => {
    const place = project();
    const { call, last } = await serve(place);
    const began = await call("workflow_run", { name: "build", input: { what: "a boat" } });
    expect(began.value.status).toBe("waiting");
    const ready = (await call("issue_ready")).value.items;
    expect(ready).toMatchObject([{ title: "Design a boat" }]);
    await call("issue_close", { ids: [ready[0]?.id], reason: "drawn" });
    const next = (await call("issue_ready")).value.items;
    expect(next).toMatchObject([{ title: "Make a boat", priority: 1 }]);
    expect((await last("build")).status).toBe("waiting");
    await (await serve(place)).call("issue_close", { ids: [next[0]?.id] });
    await expect
      .poll(() => last("build"), waitLong)
      .toMatchObject({ status: "ok", results: { step2: { text: "drawn, Make a boat" } } });
    expect((await call("issue_list", { where: { status: "closed" } })).value.items).toHaveLength(2);
  });

  test("fails with the problem of an issue, and is refused where no pack keeps issues", async () => {
    const { call } = await serve(project());
    const wrong = { steps: [{ issue: { title: "x", priority: 9 } }] };
    expect((await call("workflow_eval", wrong)).text).toMatch(/issue.*priority/);
    const dry = await call("workflow_eval", { steps: [{ issue: { title: "x" } }], dryRun: true });
    expect(dry.value.status).toBe("dry");
    expect((await call("issue_list")).value.items).toEqual([]);
    const without = await serve(project({ packs: { issues: false } }));
    expect((await without.call("workflow_eval", { steps: [{ issue: { title: "x" } }] })).text).toContain(
      "it waits for an issue, and no pack keeps issues",
    );
  });
});
