import { silence, startModelEndpoint, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { readCaseFile } from "./case-file.ts";
import { openTools } from "./open-tools.ts";
import { runCase, type CaseResult, type RunCaseOptions } from "./run-case.ts";
import { simulated } from "./simulated/simulated.ts";
import { packClient } from "./tool-client.ts";

const apiKey = "sk-never-to-be-seen";
let endpoint: ModelEndpoint | undefined;
afterEach(() => endpoint?.close());

const page = { name: "fetch_page", args: { url: "https://museum.test/visit" } };
const write = (path: string) => ({ name: "write_drive", args: { path, content: "text" } });

interface Ran {
  readonly result: CaseResult;
  readonly rules: readonly string[];
  readonly messages: string;
}

/** Runs a case of this front matter over the simulated tools, whose results come whole. */
async function ran(
  script: readonly ScriptedAnswer[],
  fields: string,
  options: Partial<RunCaseOptions> = {},
): Promise<Ran> {
  endpoint = await startModelEndpoint(script);
  const text = fields === "" ? "Do it." : `---\n${fields}\n---\n\nDo it.\n`;
  const result = await runCase(readCaseFile(text, "case.md"), {
    profile: { name: "test", url: endpoint.baseUrl, urlFrom: "environment" as const, model: "scripted", apiKey },
    tools: await openTools(packClient(simulated())),
    maxRetries: 0,
    ...options,
  });
  expect(JSON.stringify(result)).not.toContain(apiKey);
  const breaches = "breaches" in result ? result.breaches : [];
  return {
    result,
    rules: breaches.map(({ rule }) => rule),
    messages: breaches.map(({ message }) => message).join("\n"),
  };
}

describe("runCase", () => {
  test("makes the calls that a model asks for, in order, and hands their results on", async () => {
    const { result } = await ran([{ calls: [page, write("a.md")] }, { calls: [write("b.md")] }, "Done."], "id: calls");
    expect(result).toMatchObject({
      status: "passed",
      conversation: {
        answer: "Done.",
        turns: 3,
        calls: [
          { tool: "fetch_page", args: page.args, turn: 1, isKnown: true },
          { tool: "write_drive", args: { path: "a.md" }, turn: 1 },
          { tool: "write_drive", args: { path: "b.md" }, turn: 2 },
        ],
        tokens: { isEstimated: false },
      },
    });
    const tools = endpoint?.asked[0]?.tools.map(({ name }) => name);
    expect(tools).toEqual(["transcribe_video", "fetch_page", "deep_check", "write_drive"]);
    expect(endpoint?.asked[1]?.messages.filter(({ role }) => role === "tool")).toMatchObject([
      { content: expect.stringContaining("# /visit") },
      { content: "wrote a.md, 4 bytes, sha256 982d9e3eb996" },
    ]);
    expect(endpoint?.asked.every(({ key }) => key === `Bearer ${apiKey}`)).toBe(true);
  });

  test("only runs a prompt without front matter, whatever the model calls", async () => {
    const { result } = await ran([{ calls: [page] }, "It opens at nine."], "");
    expect(result).toMatchObject({ status: "ran", breaches: [], conversation: { answer: "It opens at nine." } });
  });

  test("gives the model a temperature, instructions and examples where there are any", async () => {
    const tools = { ...(await openTools(packClient(simulated()))), instructions: "Be brief." };
    const url = () => endpoint?.baseUrl ?? "";
    const profile = {
      name: "test",
      model: "warm",
      urlFrom: "environment" as const,
      temperature: 0.5,
      get url() {
        return url();
      },
    };
    const { result } = await ran(["Yes."], "id: told", { tools, profile, fewShot: "An example." });
    expect(result.status).toBe("passed");
    expect(endpoint?.asked[0]).toMatchObject({
      model: "warm",
      key: undefined,
      temperature: 0.5,
      messages: [
        { role: "system", content: "Be brief.\n\nAn example." },
        { role: "user", content: "Do it." },
      ],
    });
  });

  test("tells the model of a tool's error, and names it where the call was wanted", async () => {
    const script = [{ calls: [write("/etc/passwd")] }, "I could not."];
    const { result, rules, messages } = await ran(script, "tool_calls: [{ tool_name: write_drive }]");
    expect(rules).toEqual(["tool_error"]);
    expect(messages).toContain(
      "write_drive (call 1): it failed: invalid_input: path: expected a path within the drive",
    );
    expect(endpoint?.asked[1]?.prompt).toContain("expected a path within the drive");
    expect(result.status).toBe("failed");
  });

  test("lets a call that may be made again make good one that failed", async () => {
    const script = [{ calls: [write("/etc/passwd")] }, { calls: [write("a.md")] }, "Done."];
    const { rules } = await ran(script, "tool_calls: [{ tool_name: write_drive, allow_multiple: true }]");
    expect(rules).toEqual([]);
  });

  test.each([
    ["are not JSON", "{path: a.md", "its arguments are not JSON"],
    ["are no object", '"a.md"', "it failed: "],
  ])("goes on after a call whose arguments %s", async (_, args, message) => {
    const script = [{ calls: [{ name: "write_drive", args }] }, "I gave up."];
    const { rules, messages } = await ran(script, "tool_calls: [{ tool_name: write_drive }]");
    expect(rules).toEqual(["tool_error"]);
    expect(messages).toContain(message);
  });

  test("ends a conversation that does not come to an answer", async () => {
    const { result, rules, messages } = await ran([{ calls: [page] }], "id: endless");
    expect(rules).toEqual(["answer"]);
    expect(messages).toBe("none after 20 turns");
    expect(result).toMatchObject({ conversation: { turns: 20, calls: { length: 20 } } });
    expect(endpoint?.asked).toHaveLength(20);
  });

  test("fails a prompt alone only where it comes to no answer", async () => {
    const { result, rules } = await ran([{ calls: [page] }], "");
    expect([result.status, rules]).toEqual(["failed", ["answer"]]);
  });

  test("strikes the key out before anything is cut", async () => {
    const args = { path: `${"a".repeat(70)}${apiKey}`, content: "" };
    const script: ScriptedAnswer[] = [{ calls: [{ name: "write_drive", args }] }, ({ key }) => `It is ${key}.`];
    const { result, messages } = await ran(script, "args: { write_drive: { path: a.md } }");
    expect(messages).toContain(`was "${"a".repeat(70)}[key]"`);
    expect(result).toMatchObject({ conversation: { answer: "It is Bearer [key]." } });
  });

  test("estimates tokens where the endpoint does not count them", async () => {
    const message = { role: "assistant", content: "Hello to you, whoever you are." };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    const { result } = await ran([{ body }], "id: uncounted");
    expect(result).toMatchObject({ status: "passed", conversation: { tokens: { out: 8, isEstimated: true } } });
    expect("conversation" in result && result.conversation.tokens.in).toBeGreaterThan(200);
  });

  test("counts an answer without a word as none", async () => {
    const { rules } = await ran([""], "id: silent");
    expect(rules).toEqual(["answer"]);
  });
});

describe("runCase says that a model could not be asked", () => {
  test.each([
    ["an endpoint that refuses the key", [401], "answered 401: the profile's key is missing or wrong"],
    ["an endpoint that knows no such model", [404], "answered 404: it knows no such model, or its address is wrong"],
    ["an endpoint in trouble", [500], "answered 500"],
    ["an answer that is no JSON", [{ body: "<html>hello</html>" }], "answered what is no chat completion"],
    [
      "an answer beyond the limit",
      [{ body: "x".repeat(17_000_000) }],
      "answered too much: the response is larger than 16,777,216 bytes",
    ],
    ["an answer that is no completion", [{ body: '{"ok": true}' }], "answered what is no chat completion"],
    ["an answer without a choice", [{ body: '{"choices": []}' }], "answered what is no chat completion"],
    ["trouble in a later turn", [{ calls: [page] }, 503], "answered 503"],
  ] satisfies [string, ScriptedAnswer[], string][])("for %s", async (_, script, message) => {
    const { result } = await ran(script, "id: any");
    expect(result).toEqual({ status: "not_run", trouble: `the endpoint of model scripted ${message}` });
  });

  test("for an endpoint that is not there", async () => {
    endpoint = await startModelEndpoint([]);
    const profile = { name: "test", url: endpoint.baseUrl, urlFrom: "environment" as const, model: "scripted" };
    await endpoint.close();
    const { result } = await ran([], "id: any", { profile });
    expect(result).toEqual({ status: "not_run", trouble: "the endpoint of model scripted cannot be reached" });
  });

  test("for an endpoint that does not answer in time", async () => {
    const { result } = await ran([silence], "id: any", { timeoutSeconds: 0.2 });
    expect(result).toEqual({ status: "not_run", trouble: "model scripted took too long and was stopped" });
  });

  test("after as many tries as it was told", async () => {
    const { result } = await ran([500, 500, "Yes."], "id: any", { maxRetries: 1 });
    expect(result).toEqual({ status: "not_run", trouble: "the endpoint of model scripted answered 500 (2 times)" });
    expect(endpoint?.asked).toHaveLength(2);
  });
});
