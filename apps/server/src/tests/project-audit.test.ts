import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { startModelEndpoint } from "@toolpacks/testkit";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

let client: Client | undefined;
afterEach(() => client?.close());

async function connect(
  env: Record<string, string> = {},
  root = repository,
): Promise<(name: string, args: object) => Promise<Answer>> {
  const cwd = folder();
  const args = ["--trust", "--root", root, "--store", path.join(cwd, "store.db"), "--log-level", "silent"];
  client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(serverTransport(args, { cwd, env: { ...env } }));
  return async (name, args) => {
    const result = await client?.callTool({ name: "tool_invoke", arguments: { name, args, structured: true } });
    return (result?.structuredContent ?? {}) as Answer;
  };
}

interface Entry {
  readonly step: string;
  readonly status: string;
  readonly rescued?: boolean;
  readonly summary?: string;
}

interface Answer {
  readonly items?: readonly { readonly id: string }[];
  readonly report: string;
  readonly status: string;
  readonly result?: unknown;
  readonly steps?: readonly Entry[];
  readonly results?: Record<string, unknown>;
}

const audit = { path: "packages/workflows/src/examples", pattern: "TODO" };

describe("project_audit on this repository", () => {
  test("answers its own summary when no model is configured", async () => {
    const call = await connect();
    const run = await call("workflow_run", { name: "project_audit", input: audit });
    expect(run.status).toBe("ok");
    const { text } = run.result as { text: string };
    expect(text).toMatch(/^3 entries in packages\/workflows\/src\/examples\. 2 marked lines, 1 files shown/);
    expect(text).toContain("project-audit.json: 2");
    const report = await call("workflow_report", { report: run.report, format: "data" });
    const own = report.steps?.filter(({ step }) => !step.includes("/"));
    expect(own?.map(({ step, status }) => [step, status])).toEqual(
      ["tree", "marks", "issues", "files", "summary"].map((step) => [step, "ok"]),
    );
    expect(own?.find(({ step }) => step === "summary")?.rescued).toBe(true);
    expect(report.results?.["summary"]).toEqual({ text });
  });

  test("answers the text of a configured model about the tree, the marks and the issues", async () => {
    const endpoint = await startModelEndpoint(["All is well."]);
    const call = await connect({ TOOLPACKS_MODEL_URL: endpoint.baseUrl, TOOLPACKS_MODEL: "tiny" });
    const run = await call("workflow_run", { name: "project_audit", input: audit });
    expect(run).toMatchObject({ status: "ok", result: { text: "All is well." } });
    expect(endpoint.asked).toHaveLength(1);
    expect(endpoint.asked[0]?.model).toBe("tiny");
    expect(endpoint.asked[0]?.prompt).toMatch(/daily-review\.json[\s\S]+project-audit\.json","lines":\["\d+: /);
    const report = await call("workflow_report", { format: "text" });
    expect(report.steps?.at(-1)).toMatchObject({ step: "summary", status: "ok", summary: "All is well." });
    expect(report.steps?.at(-1)).not.toHaveProperty("rescued");
    await endpoint.close();
  });

  test("names open issues that marked lines mention", async () => {
    const root = folder();
    const call = await connect({}, root);
    const issues = [{ title: "Mend the audit" }, { title: "Without a mark" }];
    const id = (await call("issue_create", { issues })).items?.[0]?.id;
    writeFileSync(path.join(root, "one.ts"), `a(); // TODO after ${id}\nb(); // FIXME\n`);
    writeFileSync(path.join(root, "two.ts"), "c(); // TODO\n");
    const run = await call("workflow_run", { name: "project_audit" });
    const { text } = run.result as { text: string };
    expect(text).toContain("3 marked lines, 2 files shown, 1 of them name an open issue. 2 open issues.");
    expect(text).toContain(`one.ts: 2 (${id})\ntwo.ts: 1`);
  });
});

test("daily_review lists what is due", async () => {
  const call = await connect();
  await call("store_put", { kind: "reminder", record: { text: "Water the plants", due: "2099-01-04" } });
  const run = await call("workflow_run", { name: "daily_review", input: {} });
  expect(run).toMatchObject({ status: "ok" });
  expect((run.result as { text: string }).text).toMatch(/^1 reminders, .*\n2099-01-04 Water the plants/);
});
