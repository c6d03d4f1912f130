import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a scripted endpoint answers: a message, a status, or nothing at all. */
export type Scripted = string | number | typeof silence;

export const silence = Symbol("no answer");

interface Asked {
  readonly model: string;
  readonly key: string | undefined;
  readonly prompt: string;
  readonly format: unknown;
}

export interface ModelEndpointFixture {
  readonly baseUrl: string;
  /** What it was asked, in order. */
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** A small OpenAI-compatible server that answers from a script, and its last line again and again. */
export async function startModelEndpoint(script: readonly Scripted[]): Promise<ModelEndpointFixture> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const {
        model,
        messages,
        response_format: format,
      } = JSON.parse(body) as {
        model: string;
        messages: { content: string }[];
        response_format?: unknown;
      };
      asked.push({ model, key: request.headers.authorization, prompt: messages.at(-1)?.content ?? "", format });
      const answer = script[Math.min(asked.length, script.length) - 1];
      if (answer === silence) return;
      response.setHeader("content-type", "application/json");
      if (typeof answer === "number") {
        response.statusCode = answer;
        response.end(JSON.stringify({ error: { message: `no, ${request.headers.authorization}` } }));
        return;
      }
      const message = { role: "assistant", content: answer };
      response.end(
        JSON.stringify({
          id: "scripted",
          object: "chat.completion",
          created: 0,
          model,
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
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
