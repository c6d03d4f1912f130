import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What an endpoint does with a request for the embeddings of texts. */
export type Answer = (texts: readonly string[]) => Answered | Promise<Answered>;

interface Answered {
  readonly status?: number;
  readonly body: unknown;
}

/** A real HTTP endpoint, and the requests that it received. */
export interface FakeEndpoint extends AsyncDisposable {
  readonly url: string;
  readonly requests: {
    readonly path: string | undefined;
    readonly authorization: string | undefined;
    readonly model: string;
    readonly input: string[];
  }[];
  answer: Answer;
}

/** Embeds a text as how often it says each of some words: texts of the same words point the same way. */
export function embedWords(words: readonly (readonly string[])[]): Answer {
  const vector = (text: string) =>
    words.map((same) => same.reduce((times, word) => times + text.toLowerCase().split(word).length - 1, 0) + 0.01);
  return (texts) => ({ body: { data: texts.map((text, index) => ({ index, embedding: vector(text) })).reverse() } });
}

export async function startEndpoint(answer: Answer): Promise<FakeEndpoint> {
  const requests: FakeEndpoint["requests"] = [];
  const server: Server = createServer((request, response) => {
    void read(request).then(async (text) => {
      const { model, input } = JSON.parse(text) as { model: string; input: string[] };
      requests.push({ path: request.url, authorization: request.headers.authorization, model, input });
      const { status = 200, body } = await endpoint.answer(input);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return endpoint;
}

async function read(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
