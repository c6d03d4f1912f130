import { describe, expect, test } from "vitest";
import { initialize } from "../initialize.fixture.ts";
import { official, relayed, RawClient, type Message } from "../relay.fixture.ts";

const everything = [official("everything")];

/** The messages of a client with all capabilities to the everything server, and the answers of its user and model. */
async function converse(args: readonly string[]): Promise<string[]> {
  const talk = new RawClient(args).answering(({ method }) => {
    if (method === "roots/list") return { roots: [{ uri: "file:///tmp", name: "temporary" }] };
    if (method === "elicitation/create") return { action: "accept", content: { name: "Ada", check: true } };
    return { role: "assistant", model: "scripted", content: { type: "text", text: "as the model says" } };
  });
  const call = (id: number, name: string, given: object) => talk.ask(id, "tools/call", { name, arguments: given });
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  talk.send({ ...initialize, params: { ...initialize.params, capabilities } });
  await talk.answer(1);
  talk.send({ method: "notifications/initialized" });
  // Wait for the server's own messages, which would otherwise arrive between others by chance.
  const isRootsNote = ({ params }: Message) => JSON.stringify(params ?? {}).includes("Roots updated");
  await talk.until(isRootsNote);
  await talk.ask(2, "tools/list");
  await call(3, "echo", { message: 'quotes " and \\ and ünïcode 🙂 \u2028' });
  await call(4, "get-structured-content", { location: "Chicago" });
  await call(5, "get-annotated-message", { messageType: "success", includeImage: true });
  await call(6, "get-sum", { a: 1, b: "no number" });
  await call(7, "no_such_tool", {});
  await talk.ask(8, "tools/call", {
    name: "trigger-long-running-operation",
    arguments: { duration: 0.2, steps: 4 },
    _meta: { progressToken: "p" },
  });
  await call(9, "trigger-sampling-request", { prompt: "say it", maxTokens: 10 });
  await call(10, "trigger-elicitation-request", {});
  await talk.ask(11, "resources/list");
  await talk.ask(12, "resources/templates/list");
  await talk.ask(13, "resources/read", { uri: "demo://resource/static/document/architecture.md" });
  await talk.ask(14, "resources/read", { uri: "demo://resource/nowhere" });
  await talk.ask(15, "resources/subscribe", { uri: "demo://resource/dynamic/text/1" });
  await talk.ask(16, "prompts/list");
  await talk.ask(17, "prompts/get", { name: "args-prompt", arguments: { city: "Paris" } });
  await talk.ask(18, "completion/complete", {
    ref: { type: "ref/prompt", name: "completable-prompt" },
    argument: { name: "department", value: "E" },
  });
  await talk.ask(19, "logging/setLevel", { level: "debug" });
  talk.send({
    id: 20,
    method: "tools/call",
    params: { name: "trigger-long-running-operation", arguments: { duration: 2, steps: 1 } },
  });
  talk.send({ method: "notifications/cancelled", params: { requestId: 20, reason: "enough" } });
  talk.send({ method: "notifications/roots/list_changed" });
  await talk.until(isRootsNote, 2);
  await talk.ask(21, "no/such/method", { any: [1, { thing: null }] });
  await talk.ask(22, "server/discover", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
  talk.write('{"this is": no JSON');
  talk.write("");
  await talk.ask(23, "ping");
  talk.child.stdin.end();
  await talk.ended;
  return talk.lines;
}

describe("a session through the relay", () => {
  test("has the same messages, byte for byte, except the list of tools", async () => {
    const [direct, through] = await Promise.all([converse(everything), converse(relayed(everything))]);
    const isToolList = (line: string) => line.includes('"id":2}') && line.includes('"tools":');
    const others = (lines: string[]) => lines.filter((line) => !isToolList(line));
    expect(others(through)).toEqual(others(direct));
    expect(direct.length).toBeGreaterThan(30);

    const list = (lines: string[]) => JSON.parse(lines.find(isToolList) ?? "{}") as Message;
    const tools = list(through).result?.["tools"] as { name: string }[];
    expect(tools.at(-1)?.name).toBe("relay_read");
    expect({ ...list(through), result: { ...list(through).result, tools: tools.slice(0, -1) } }).toEqual(list(direct));
  });
});
