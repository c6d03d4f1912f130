import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "@toolpacks/core";

/** A model endpoint on loopback: the first answer calls a shell tool, and the answer to its result is a text. */
export interface ScriptedModel {
  readonly url: string;
  close(): void;
}

/** The command that the model calls. It fails, and has a secret. */
export const scriptedCommand = "echo API_TOKEN=canary; exit 3";
const intent = "I run it.";
const answer = "The column exists already.";

/** Starts an endpoint with the Messages API of Anthropic and the Responses API of OpenAI. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const asked: unknown = JSON.parse(body === "" ? "{}" : body);
      if (request.url?.startsWith("/v1/messages/count_tokens")) response.end('{"input_tokens":10}');
      else if (request.url?.startsWith("/v1/messages")) answerMessages(response, asked);
      else if (request.url?.startsWith("/v1/responses")) answerResponses(response, asked);
      else response.writeHead(404).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

function stream(response: ServerResponse, events: readonly StreamEvent[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

/** Whether a request has a tool of this name, and no result of a tool yet. */
function asksForCall(asked: unknown, tool: string, result: string): boolean {
  const json = JSON.stringify(asked);
  return json.includes(`"name":"${tool}"`) && !json.includes(`"type":"${result}"`);
}

function answerMessages(response: ServerResponse, asked: unknown): void {
  const callsTool = asksForCall(asked, "Bash", "tool_result");
  const usage = { input_tokens: 5, output_tokens: 1 };
  const model = isObject(asked) && "model" in asked ? asked["model"] : "";
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
  const block = (index: number, content_block: object, delta: object): StreamEvent[] => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const partial_json = JSON.stringify({ command: scriptedCommand, description: "Run it" });
  const text = callsTool ? intent : answer;
  stream(response, [
    { type: "message_start", message },
    ...block(0, { type: "text", text: "" }, { type: "text_delta", text }),
    ...(callsTool
      ? block(
          1,
          { type: "tool_use", id: "toolu_1", name: "Bash", input: {} },
          { type: "input_json_delta", partial_json },
        )
      : []),
    { type: "message_delta", delta: { stop_reason: callsTool ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  ]);
}

function answerResponses(response: ServerResponse, asked: unknown): void {
  const callsTool = asksForCall(asked, "exec_command", "function_call_output");
  const text = callsTool ? intent : answer;
  const args = JSON.stringify({ cmd: scriptedCommand });
  const message = { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text }] };
  const call = { type: "function_call", id: "f1", call_id: "call_1", name: "exec_command", arguments: args };
  const items = callsTool ? [message, call] : [message];
  const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
  stream(response, [
    { type: "response.created", response: { id: "resp_1" } },
    ...items.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: items, usage } },
  ]);
}
