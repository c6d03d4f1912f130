import { fileURLToPath } from "node:url";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createSurface } from "@toolpacks/surface";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { serve, serveHandler, type Handle } from "./http.fixture.ts";
import type { UpstreamOptions } from "./options.ts";
import { createEchoServer } from "./several-callers-server.fixture.ts";
import { connectAs, createUpstream, credentialsOf } from "./wire.fixture.ts";

const program = fileURLToPath(new URL("./several-callers-server.fixture.ts", import.meta.url));
const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join();

/** A site of SDK 1.x, with sessions. Its questions go over the stream of the call that asks. */
function legacySite(): Handle {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const create = () => {
    const server = new McpServer({ name: "echo", version: "1" });
    server.registerTool(
      "echo",
      { inputSchema: { text: z.string() } },
      async ({ text }, { sendRequest, sendNotification, _meta }) => {
        const progressToken = _meta?.progressToken;
        if (progressToken !== undefined) {
          await sendNotification({
            method: "notifications/progress",
            params: { progressToken, progress: 1, message: text },
          });
        }
        const requestedSchema = { type: "object" as const, properties: { answer: { type: "string" as const } } };
        const params = { message: text, requestedSchema };
        const schema = z.object({ content: z.object({ answer: z.string() }) });
        const { content } = await sendRequest({ method: "elicitation/create", params }, schema);
        return { content: [{ type: "text", text: `${text} ${content.answer}` }] };
      },
    );
    return server;
  };
  return async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await create().connect(transport);
    await transport.handleRequest(request, response);
  };
}

interface Caller {
  readonly client: Client;
  readonly questions: string[];
  readonly progress: string[];
}

/** Two callers of one server, whose users answer with their names. */
async function twoCallers(options: UpstreamOptions): Promise<readonly (readonly [name: string, caller: Caller])[]> {
  const surface = await createSurface({ packs: [createUpstream(options)] });
  const connect = async (name: string) => {
    const client = await connectAs(surface, credentialsOf(name), { capabilities: { elicitation: { form: {} } } });
    const questions: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return { action: "accept", content: { answer: name } };
    });
    const caller: Caller = { client, questions, progress: [] };
    return [name, caller] as const;
  };
  return Promise.all(["ada", "bob"].map(connect));
}

function echo({ client, progress }: Caller, text: string): Promise<CallToolResult> {
  const params = { name: "tool_invoke", arguments: { name: "echo_echo", args: { text } } };
  return client.callTool(params, { onprogress: ({ message }) => void progress.push(message ?? "") });
}

const callCount = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 30 : 500;

describe("two callers of one shared server in parallel", () => {
  test.each<[string, () => Promise<UpstreamOptions>]>([
    ["over stdio", async () => ({ name: "echo", command: process.execPath, args: [program, "modern"] })],
    [
      "over Streamable HTTP",
      async () => ({ name: "echo", url: (await serve(serveHandler(createMcpHandler(createEchoServer)))).url }),
    ],
    [
      "over Streamable HTTP before 2026",
      async () => ({ name: "echo", url: (await serve(legacySite())).url, auth: { token: "unused" } }),
    ],
  ])(
    "get only their own progress, questions and results in many calls %s",
    async (_, options) => {
      const callers = await twoCallers(await options());
      const names = (caller: string) => Array.from({ length: callCount }, (_, at) => `${caller}-${at}`);
      const results = await Promise.all(
        callers.flatMap(([name, caller]) =>
          names(name).map(async (text) => [`${text} ${name}`, textOf(await echo(caller, text))]),
        ),
      );
      expect(results.filter(([expected, text]) => expected !== text)).toEqual([]);
      for (const [name, { questions, progress }] of callers) {
        const shown = names(name).map((text) => `The MCP server "echo" asks: ${text}`);
        expect(questions.toSorted()).toEqual(shown.toSorted());
        // The SDK reports progress of its own for each question.
        const ofServer = progress.filter((text) => !text.startsWith("Fulfilling input"));
        expect(ofServer.filter((text) => !text.startsWith(`${name}-`))).toEqual([]);
        expect(ofServer.length).toBeGreaterThanOrEqual(callCount);
      }
    },
    60_000,
  );

  test("a question that does not say which of their calls asks is passed on to neither", async () => {
    const callers = await twoCallers({ name: "echo", command: process.execPath, args: [program, "legacy"] });
    const results = await Promise.all(callers.map(async ([, caller]) => textOf(await echo(caller, "hi"))));
    const refusal = /The question was not passed on: calls of several callers are running/;
    expect(results).toEqual([expect.stringMatching(refusal), expect.stringMatching(refusal)]);
    expect(callers.flatMap(([, { questions }]) => questions)).toEqual([]);
    // Two calls of one caller: the user of both is the same.
    const [[, ada]] = callers as [(typeof callers)[number]];
    const answers = await Promise.all([echo(ada, "one"), echo(ada, "two")]);
    expect(answers.map(textOf)).toEqual(["accept", "accept"]);
    expect(ada.questions).toHaveLength(1);
  });
});
