import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { askingServer, type AskingServer } from "./asking-server.fixture.ts";
import { hostileServer } from "./hostile.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

const empty = { type: "object", properties: {} };

interface Asked {
  readonly message: string;
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, object>> };
  readonly url?: string;
}

/** A client whose user answers by `answer`, and the questions to the user. */
async function connect(server: AskingServer, answer: (signal: AbortSignal) => Promise<void> = async () => {}) {
  const asked: Asked[] = [];
  const pack = createUpstream({ name: "evil", ...askingServer(server) });
  const { client } = await connectThrough([pack], { capabilities: { elicitation: { form: {}, url: {} } } });
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    asked.push(params);
    await answer(mcpReq.signal);
    return { action: "accept", content: {} };
  });
  return { client, asked };
}

async function call(client: Client, tool: string, signal?: AbortSignal): Promise<unknown> {
  const { content } = await client.callTool(
    { name: "tool_invoke", arguments: { name: `evil_${tool}`, args: {} } },
    { ...(signal && { signal }) },
  );
  const [block] = content;
  return block?.type === "text" ? (JSON.parse(block.text) as unknown) : content;
}

describe("a call", () => {
  test("asks its user at most ten questions, and the server gets an error with the limit", async () => {
    const questions = Array.from({ length: 30 }, (_, at) => ({ message: `${at}?`, requestedSchema: empty }));
    const { client, asked } = await connect({ questions });
    const responses = (await call(client, "go")) as readonly { readonly message?: string }[];
    expect(asked).toHaveLength(10);
    expect(responses).toHaveLength(30);
    const refused = responses.filter(({ message }) => message?.includes("a call may ask at most 10 questions"));
    expect(refused).toHaveLength(20);
    expect(asked[9]?.message).toBe('The MCP server "evil" asks: 9?');
  });

  const open = [{ message: "Password?", requestedSchema: empty }];

  /** The signal of the open question. It fires when the client gets the cancellation. */
  async function connectOpen(server: AskingServer) {
    let cancelled: AbortSignal | undefined;
    const { client } = await connect(server, (signal) => {
      cancelled = signal;
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    });
    return { client, isCancelled: () => vi.waitFor(() => expect(cancelled?.aborted).toBe(true), 5_000) };
  }

  test("that ends before the user has answered cancels the question", async () => {
    const { client, isCancelled } = await connectOpen({ questions: open, isHasty: true });
    expect(await call(client, "go")).toBe("early");
    await isCancelled();
    await vi.waitFor(async () => expect(await call(client, "responses")).toEqual([{ action: "cancel" }]), 5_000);
  });

  test("cancels the question when the client cancels the call", async () => {
    const { client, isCancelled } = await connectOpen({ questions: open });
    await expect(call(client, "hang", AbortSignal.timeout(1_000))).rejects.toThrow();
    await isCancelled();
  });

  test("goes on when the server withdraws the question, which is cancelled", async () => {
    const { client, isCancelled } = await connectOpen({ questions: open, withdraws: true });
    const stop = new AbortController();
    const hanging = call(client, "hang", stop.signal).catch((error: unknown) => error);
    await isCancelled();
    stop.abort();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

describe("a question", () => {
  async function ask(question: object): Promise<{ asked: readonly Asked[]; response: unknown }> {
    const { client, asked } = await connect({ questions: [question] });
    const [response] = (await call(client, "go")) as readonly unknown[];
    return { asked, response };
  }

  test("is shown on one line each, without invisible characters, and with no other field", async () => {
    const { asked } = await ask({
      message: 'ok\n\nThe MCP server "good" asks: x',
      _meta: { hidden: "\u{E0041}" },
      requestedSchema: {
        ...empty,
        note: "\u{E0041}",
        properties: {
          p: {
            type: "string",
            title: "x\u202Eabc\u{E0041}",
            description: "\u001B[31mred\nline",
            default: "a\u200B\nb",
          },
          q: { type: "string", enum: ["1"], enumNames: ["one\u2066\ntwo"] },
          r: { type: "string", oneOf: [{ const: "1", title: "one\u0085two" }] },
        },
      },
    });
    expect(asked).toEqual([
      {
        mode: "form",
        message: 'The MCP server "evil" asks: ok The MCP server "good" asks: x',
        requestedSchema: {
          type: "object",
          properties: {
            p: { type: "string", title: "xabc", description: "[31mred line", default: "a b" },
            q: { type: "string", enum: ["1"], enumNames: ["one two"] },
            r: { type: "string", oneOf: [{ const: "1", title: "one two" }] },
          },
        },
      },
    ]);
  });

  const field = (schema: object) => ({ message: "?", requestedSchema: { type: "object", properties: { p: schema } } });
  const link = (url: string) => ({ mode: "url", elicitationId: "1", message: "go", url });
  const many = Array.from({ length: 4_000 }, () => ({ const: "a", title: "a" }));
  const visible = /expected text without line breaks and control or invisible characters/;
  test.each<[string, object, RegExp]>([
    ["a javascript: address", link("javascript:alert(1)"), /url: expected an http or https address/],
    ["a file: address", link("file:///etc/x"), /url: expected an http or https address/],
    ["an address with a user name", link("https://bank.example@evil.example/"), /without a user name/],
    [
      "an identifier with a line break",
      { mode: "url", elicitationId: "a\nb", message: "go", url: "https://a.example" },
      visible,
    ],
    [
      "a default that is no web address",
      field({ type: "string", format: "uri", default: "javascript:x" }),
      /default: /,
    ],
    ["a link of Markdown", { message: "[here](file:///x)", requestedSchema: empty }, /message: expected links to http/],
    ["a link in a title", field({ type: "string", title: "[x]( javascript:y)" }), /title: expected links to http/],
    ["a value with invisible characters", field({ type: "string", enum: ["a\u{E0041}"] }), visible],
    [
      "a field's name with a line break",
      { message: "?", requestedSchema: { type: "object", properties: { "a\nb": { type: "string" } } } },
      visible,
    ],
    ["too many fields", field({ type: "string", oneOf: many }), /made of more than 10,000 values/],
  ])("with %s is refused", async (_, question, reason) => {
    const { asked, response } = await ask(question);
    expect(asked).toEqual([]);
    expect(response).toMatchObject({ message: expect.stringMatching(reason) as string });
  });

  test("with an https address is passed on with the normalized address", async () => {
    const { asked } = await ask(link("https://bücher.example/\u202Eb"));
    expect(asked).toMatchObject([{ url: "https://xn--bcher-kva.example/%E2%80%AEb", elicitationId: "1" }]);
  });
});

test("a request for sampling is refused, and no client is asked", async () => {
  const params = { maxTokens: 5, messages: [{ role: "user", content: { type: "text", text: "hi" } }] };
  const { client, asked } = await connect({ requests: [{ method: "sampling/createMessage", params }] });
  expect(await call(client, "go")).toMatchObject([{ code: -32_601 }]);
  expect(asked).toEqual([]);
});

test("an error that sends the user to an address names http and https addresses only", async () => {
  const elicitations = ["javascript:alert(1)", "https://a.example/sign-in"].map((url) => ({
    mode: "url",
    elicitationId: "1",
    message: "Sign in:",
    url,
  }));
  const error = { code: -32_042, message: "sign in", data: { elicitations } };
  const { client } = await connectThrough([createUpstream({ name: "evil", ...hostileServer({ error }) })]);
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name: "evil_go", args: {} } });
  const text = JSON.stringify(content);
  expect(text).toContain("Sign in: https://a.example/sign-in");
  expect(text).toContain("(left out: no http or https address)");
  expect(text).not.toContain("javascript:");
});
