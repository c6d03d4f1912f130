import { definePack, defineTool, type InputRequest } from "@toolpacks/core";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { httpEndpoint, type HttpCallOptions } from "./http.fixture.ts";
import { createSurface } from "./surface.ts";

const question: InputRequest = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Who?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } } },
  },
};
const completion: InputRequest = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 9 },
};
const inputs = { name: question, greeting: completion, places: { method: "roots/list" } } satisfies Record<
  string,
  InputRequest
>;

const responses = {
  name: { action: "accept", content: { name: "Ada" } },
  greeting: { role: "assistant", model: "m", content: { type: "text", text: "Hello" } },
  places: { roots: [{ uri: "file:///a" }] },
};

const asking = definePack({
  name: "asking",
  description: "Asks its client.",
  budget: 300,
  tools: () => [
    defineTool({
      name: "ask_all",
      description: "Requests three inputs.",
      mutates: false,
      input: z.object({}),
      output: z.object({ responses: z.unknown() }),
      handler: async (_, { client }) => ({ responses: await client?.request(inputs) }),
    }),
    defineTool({
      name: "ask_able",
      description: "Tells what the client can do.",
      mutates: false,
      input: z.object({}),
      output: z.object({ able: z.array(z.string()) }),
      handler: (_, { client, elicit }) => ({
        able: [...Object.keys(client?.capabilities ?? {}), ...(elicit ? ["elicit"] : [])],
      }),
    }),
  ],
});

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
const call = { name: "ask_all" };

describe("a call that requests several inputs from its client", () => {
  let endpoint: ReturnType<typeof httpEndpoint>;
  beforeAll(async () => {
    endpoint = httpEndpoint(await createSurface({ packs: [asking()], surface: "direct" }));
  });
  const ask = async (request: Parameters<typeof endpoint>[0], options: HttpCallOptions = { capabilities }) =>
    (await endpoint(request, options)) as {
      readonly result?: { readonly requestState?: string; readonly [field: string]: unknown };
      readonly error?: object;
    };

  test("gets all of them in one round", async () => {
    const first = await ask(call);
    expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: inputs });
    const second = await ask({ ...call, requestState: first.result?.requestState, inputResponses: responses });
    expect(second.result).toMatchObject({ structuredContent: { responses } });
  });

  test("requests a missing and a malformed response again, and no other", async () => {
    const first = await ask(call);
    const { places } = responses;
    const partly = { places, name: 12_345, greeting: { role: "assistant" }, other: {} };
    const second = await ask({ ...call, requestState: first.result?.requestState, inputResponses: partly });
    expect(second.result?.["inputRequests"]).toEqual({ name: question, greeting: completion });
    expect(second.result?.requestState).not.toBe(first.result?.requestState);
    const third = await ask({ ...call, requestState: second.result?.requestState, inputResponses: responses });
    expect(third.result).toMatchObject({ structuredContent: { responses } });
  });

  test("fails when the client has not sent a response three times", async () => {
    let last = await ask(call);
    for (let round = 0; round < 3; round += 1) {
      last = await ask({ ...call, requestState: last.result?.requestState, inputResponses: {} });
    }
    expect(last.result).toMatchObject({ isError: true, content: [{ text: "cancelled: the client has not answered" }] });
  });

  test("uses responses that came with the first request", async () => {
    const { greeting, ...others } = responses;
    const first = await ask({ ...call, inputResponses: others });
    expect(first.result?.["inputRequests"]).toEqual({ greeting: completion });
    const all = await ask({ ...call, inputResponses: responses });
    expect(all.result).toMatchObject({ structuredContent: { responses: { greeting } } });
  });

  test("ends with the protocol's error when the client lacks a capability", async () => {
    const { error } = await ask(call, { capabilities: { elicitation: { form: {} } } });
    expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { sampling: {}, roots: {} } } });
  });

  test("knows what the client has declared", async () => {
    const able = async (declared: Readonly<Record<string, unknown>>) =>
      (await ask({ name: "ask_able" }, { capabilities: declared })).result;
    expect(await able({ sampling: {} })).toMatchObject({ structuredContent: { able: ["sampling"] } });
    expect(await able({ elicitation: {} })).toMatchObject({ structuredContent: { able: ["elicitation", "elicit"] } });
  });
});
