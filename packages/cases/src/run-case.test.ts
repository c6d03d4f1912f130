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

/** Runs a case with this front matter over the simulated tools, without handles. */
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
  test("makes the calls that a model requests, in order, and returns their results to the model", async () => {
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

  test("runs a prompt without front matter, and checks no calls", async () => {
    const { result } = await ran([{ calls: [page] }, "It opens at nine."], "");
    expect(result).toMatchObject({ status: "ran", breaches: [], conversation: { answer: "It opens at nine." } });
  });

  test("sends the model its temperature, instructions and examples", async () => {
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
    const { result } = await ran(["Yes."], "id: instructed", { tools, profile, fewShot: "An example." });
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

  test("reports a tool's error to the model, and breaks tool_error if the call was expected", async () => {
    const script = [{ calls: [write("/etc/passwd")] }, "I could not."];
    const { result, rules, messages } = await ran(script, "tool_calls: [{ tool_name: write_drive }]");
    expect(rules).toEqual(["tool_error"]);
    expect(messages).toContain(
      "write_drive (call 1): it failed: invalid_input: path: expected a path within the drive",
    );
    expect(endpoint?.asked[1]?.prompt).toContain("expected a path within the drive");
    expect(result.status).toBe("failed");
  });

  test("accepts a failed call if a repeated one succeeds and may be repeated", async () => {
    const script = [{ calls: [write("/etc/passwd")] }, { calls: [write("a.md")] }, "Done."];
    const { rules } = await ran(script, "tool_calls: [{ tool_name: write_drive, allow_multiple: true }]");
    expect(rules).toEqual([]);
  });

  test.each([
    ["are not JSON", "{path: a.md", "its arguments are not JSON"],
    ["are not an object", '"a.md"', "it failed: "],
  ])("goes on after a call whose arguments %s", async (_, args, message) => {
    const script = [{ calls: [{ name: "write_drive", args }] }, "I gave up."];
    const { rules, messages } = await ran(script, "tool_calls: [{ tool_name: write_drive }]");
    expect(rules).toEqual(["tool_error"]);
    expect(messages).toContain(message);
  });

  test("ends a conversation without an answer after 20 turns", async () => {
    const { result, rules, messages } = await ran([{ calls: [page] }], "id: endless");
    expect(rules).toEqual(["answer"]);
    expect(messages).toBe("none after 20 turns");
    expect(result).toMatchObject({ conversation: { turns: 20, calls: { length: 20 } } });
    expect(endpoint?.asked).toHaveLength(20);
  });

  test("fails a prompt without front matter if it gets no answer", async () => {
    const { result, rules } = await ran([{ calls: [page] }], "");
    expect([result.status, rules]).toEqual(["failed", ["answer"]]);
  });

  test("redacts the key before it shortens a text", async () => {
    const args = { path: `${"a".repeat(70)}${apiKey}`, content: "" };
    const script: ScriptedAnswer[] = [{ calls: [{ name: "write_drive", args }] }, ({ key }) => `It is ${key}.`];
    const { result, messages } = await ran(script, "args: { write_drive: { path: a.md } }");
    expect(messages).toContain(`was "${"a".repeat(70)}[key]"`);
    expect(result).toMatchObject({ conversation: { answer: "It is Bearer [key]." } });
  });

  test("estimates tokens if the endpoint does not count them", async () => {
    const message = { role: "assistant", content: "Hello to you, and good day." };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    const { result } = await ran([{ body }], "id: uncounted");
    expect(result).toMatchObject({ status: "passed", conversation: { tokens: { out: 8, isEstimated: true } } });
    expect("conversation" in result && result.conversation.tokens.in).toBeGreaterThan(200);
  });

  test("fails an empty answer", async () => {
    const { rules } = await ran([""], "id: silent");
    expect(rules).toEqual(["answer"]);
  });
});

describe("runCase returns not_run with the problem", () => {
  test.each([
    ["an endpoint that refuses the key", [401], "answered 401: the profile's key is missing or wrong"],
    ["an endpoint without the model", [404], "answered 404: the model or the address is wrong"],
    ["an error of the endpoint", [500], "answered 500"],
    [
      "a response that is not JSON",
      [{ body: "<html>hello</html>" }],
      "answered something that is not a chat completion",
    ],
    [
      "a response over the limit",
      [{ body: "x".repeat(17_000_000) }],
      "failed: the response is larger than 16,777,216 bytes",
    ],
    [
      "a response that is not a completion",
      [{ body: '{"ok": true}' }],
      "answered something that is not a chat completion",
    ],
    ["a response without a choice", [{ body: '{"choices": []}' }], "answered something that is not a chat completion"],
    ["an error in a later turn", [{ calls: [page] }, 503], "answered 503"],
  ] satisfies [string, ScriptedAnswer[], string][])("for %s", async (_, script, message) => {
    const { result } = await ran(script, "id: any");
    expect(result).toEqual({ status: "not_run", problem: `the endpoint of model scripted ${message}` });
  });

  test("for an endpoint that cannot be reached", async () => {
    endpoint = await startModelEndpoint([]);
    const profile = { name: "test", url: endpoint.baseUrl, urlFrom: "environment" as const, model: "scripted" };
    await endpoint.close();
    const { result } = await ran([], "id: any", { profile });
    expect(result).toEqual({ status: "not_run", problem: "the endpoint of model scripted cannot be reached" });
  });

  test("for an endpoint that does not answer before the timeout", async () => {
    const { result } = await ran([silence], "id: any", { timeoutSeconds: 0.2 });
    expect(result).toEqual({ status: "not_run", problem: "timed out waiting for model scripted" });
  });

  test("after maxRetries retries", async () => {
    const { result } = await ran([500, 500, "Yes."], "id: any", { maxRetries: 1 });
    expect(result).toEqual({ status: "not_run", problem: "the endpoint of model scripted answered 500 (2 times)" });
    expect(endpoint?.asked).toHaveLength(2);
  });
});
