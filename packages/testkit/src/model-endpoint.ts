import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { countTokens } from "./count-tokens.ts";

/** A response of a model endpoint: a message, a turn with calls, an error status, an invalid body, or no response. */
export type ModelAnswer = string | number | ModelTurn | ModelRefusal | { readonly body: string } | typeof silence;

/** An error status with headers, such as `Retry-After`. */
export interface ModelRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One turn of a model: tool calls, a text, or both. */
export interface ModelTurn {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

export interface ScriptedCall {
  readonly name: string;
  /** The arguments. A string is sent unchanged, so it can be invalid JSON. */
  readonly args: object | string;
}

/** A line of a script: an answer, or a function that creates it from the request. */
export type ScriptedAnswer = ModelAnswer | ((asked: AskedModel) => ModelAnswer);

export const silence = Symbol("no answer");

/** A request to the endpoint. */
export interface AskedModel {
  readonly model: string;
  /** The Authorization header. */
  readonly key: string | undefined;
  /** The last message. */
  readonly prompt: string;
  readonly messages: readonly AskedMessage[];
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly format: unknown;
}

export interface AskedMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
}

/** A scripted endpoint that is running. */
export interface ModelEndpoint {
  readonly baseUrl: string;
  /** The requests, in order. */
  readonly asked: AskedModel[];
  close(): Promise<void>;
}

/**
 * Starts a small local OpenAI-compatible server that answers from a script. The last line is repeated. A GET gets an empty list of models. Token counts
 * are computed from the request and the response.
 */
export async function startModelEndpoint(script: readonly ScriptedAnswer[]): Promise<ModelEndpoint> {
  const asked: AskedModel[] = [];
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [] }));
      return;
    }
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const question = readQuestion(body, request.headers.authorization);
      asked.push(question);
      const line = script[Math.min(asked.length, script.length) - 1];
      const answer = typeof line === "function" ? line(question) : line;
      if (answer === silence || answer === undefined) return;
      response.setHeader("content-type", "application/json");
      if (typeof answer === "number" || (typeof answer === "object" && "status" in answer)) {
        const { status, headers } = typeof answer === "number" ? { status: answer, headers: {} } : answer;
        response.writeHead(status, headers);
        response.end(JSON.stringify({ error: { message: `no, ${question.key}` } }));
        return;
      }
      if (typeof answer === "object" && "body" in answer) response.end(answer.body);
      else response.end(JSON.stringify(completion(answer, question, asked.length)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readQuestion(body: string, key: string | undefined): AskedModel {
  const { model, messages, tools, temperature, max_tokens, response_format } = JSON.parse(body) as {
    model: string;
    messages: AskedMessage[];
    tools?: { function: AskedModel["tools"][number] }[];
    temperature?: number;
    max_tokens?: number;
    response_format?: unknown;
  };
  return {
    model,
    key,
    prompt: messages.at(-1)?.content ?? "",
    messages,
    tools: tools?.map(({ function: tool }) => tool) ?? [],
    temperature,
    maxTokens: max_tokens,
    format: response_format,
  };
}

function completion(answer: string | ModelTurn, { model, messages, tools }: AskedModel, id: number) {
  const { text, calls = [] } = typeof answer === "string" ? { text: answer } : answer;
  const message = {
    role: "assistant",
    content: text ?? null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ name, args }, at) => ({
        id: `call_${id}_${at}`,
        type: "function",
        function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
      })),
    }),
  };
  const tokensIn = countTokens(JSON.stringify({ messages, tools }));
  const tokensOut = countTokens(JSON.stringify(message));
  return {
    id: `scripted-${id}`,
    object: "chat.completion",
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: tokensIn, completion_tokens: tokensOut, total_tokens: tokensIn + tokensOut },
  };
}
