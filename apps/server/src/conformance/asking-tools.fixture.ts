import {
  defineTool,
  ToolError,
  type ElicitAnswer,
  type InputRequest,
  type InputResponse,
  type ToolContext,
} from "@toolpacks/core";
import { z } from "zod";

const textOutput = z.object({ text: z.string() });

/** A tool that asks the user one question by `elicit`, which clients of every protocol answer. */
function elicitingTool(name: string, description: string, requestedSchema: object) {
  return defineTool({
    name,
    description,
    mutates: false,
    input: z.object({ message: z.string().max(1_000).optional().describe("what the user is asked") }),
    output: textOutput,
    text: (result) => result.text,
    async handler({ message = "Please fill in the form." }, { elicit }) {
      if (elicit === undefined) throw new ToolError("unavailable", "the client cannot ask its user");
      const { action, content }: ElicitAnswer = await elicit({ message, requestedSchema });
      return { text: `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}` };
    },
  });
}

interface RequestingTool {
  readonly name: string;
  readonly description: string;
  /** The inputs of each round. */
  readonly rounds: readonly ((capabilities: Readonly<Record<string, unknown>>) => Record<string, InputRequest>)[];
  readonly say?: (responses: Readonly<Record<string, InputResponse>>) => string;
}

/** A tool that requests inputs from a client of protocol 2026-07-28, in one or more rounds. */
function requestingTool({ name, description, rounds, say = JSON.stringify }: RequestingTool) {
  return defineTool({
    name,
    description,
    mutates: false,
    input: z.object({}),
    output: textOutput,
    text: (result) => result.text,
    async handler(_, { client }) {
      if (client === undefined) throw new ToolError("unavailable", "the client cannot be asked for inputs");
      const responses: Record<string, InputResponse> = {};
      for (const inputs of rounds) Object.assign(responses, await client.request(inputs(client.capabilities)));
      return { text: say(responses) };
    },
  });
}

function question(message: string, field: string, type = "string"): InputRequest {
  const requestedSchema = { type: "object", properties: { [field]: { type } }, required: [field] };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

function completion(prompt: string, maxTokens = 100): InputRequest {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens } };
}

const roots: InputRequest = { method: "roots/list", params: {} };

const titled = (noun: string) =>
  ["First", "Second", "Third"].map((word, at) => ({ const: `value${at + 1}`, title: `${word} ${noun}` }));
const options = ["option1", "option2", "option3"];

const eliciting = [
  elicitingTool("test_elicitation", "Ask the user for a name and an address.", {
    type: "object",
    properties: {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    },
    required: ["username", "email"],
  }),
  elicitingTool("test_streaming_elicitation", "Ask the user for a name.", {
    type: "object",
    properties: { name: { type: "string" } },
  }),
  elicitingTool("test_elicitation_sep1034_defaults", "Ask the user with a default for each type.", {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  }),
  elicitingTool("test_elicitation_sep1330_enums", "Ask the user to choose, in each form of a choice.", {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    },
  }),
];

const requesting = [
  requestingTool({
    name: "test_input_required_result_elicitation",
    description: "Ask the user for a name.",
    rounds: [() => ({ user_name: question("What is your name?", "name") })],
  }),
  requestingTool({
    name: "test_input_required_result_sampling",
    description: "Ask the client's model.",
    rounds: [() => ({ capital_question: completion("What is the capital of France?") })],
  }),
  requestingTool({
    name: "test_missing_capability",
    description: "Ask the client's model, which the client may lack.",
    rounds: [() => ({ answer: completion("What is the capital of France?") })],
  }),
  requestingTool({
    name: "test_input_required_result_list_roots",
    description: "Ask the client for its roots.",
    rounds: [() => ({ client_roots: roots })],
  }),
  requestingTool({
    name: "test_input_required_result_request_state",
    description: "Ask the user to confirm.",
    rounds: [() => ({ confirm: question("Please confirm", "ok", "boolean") })],
    say: () => "state-ok",
  }),
  requestingTool({
    name: "test_input_required_result_tampered_state",
    description: "Ask the user to confirm.",
    rounds: [() => ({ confirm: question("Please confirm", "ok", "boolean") })],
  }),
  requestingTool({
    name: "test_input_required_result_multiple_inputs",
    description: "Ask for several inputs at once.",
    rounds: [
      () => ({
        user_name: question("What is your name?", "name"),
        greeting: completion("Generate a greeting", 50),
        client_roots: roots,
      }),
    ],
  }),
  requestingTool({
    name: "test_input_required_result_multi_round",
    description: "Ask the user two questions, one after the other.",
    rounds: [
      () => ({ step1: question("Step 1: What is your name?", "name") }),
      () => ({ step2: question("Step 2: What is your favorite color?", "color") }),
    ],
  }),
  requestingTool({
    name: "test_input_required_result_capabilities",
    description: "Ask for what the client can answer.",
    rounds: [
      ({ elicitation, sampling }) => ({
        ...(elicitation !== undefined && { user_name: question("What is your name?", "name") }),
        ...(sampling !== undefined && { greeting: completion("Generate a greeting") }),
      }),
    ],
  }),
];

const sampling = defineTool({
  name: "test_sampling",
  description: "Ask the client's model.",
  mutates: false,
  input: z.object({ prompt: z.string().max(1_000).describe("what the model is asked") }),
  output: textOutput,
  text: (result) => result.text,
  async handler({ prompt }, { client }) {
    if (client === undefined) throw new ToolError("unavailable", "the client's model cannot be asked");
    const { answer } = await client.request({ answer: completion(prompt) });
    return { text: `LLM response: ${JSON.stringify(answer?.["content"])}` };
  },
});

/** Tools that ask the client for inputs. */
export const askingTools = [...eliciting, ...requesting, sampling];

/** Asks the user what a prompt needs. */
export async function askForContext({ client }: Pick<ToolContext, "client">): Promise<string> {
  if (client === undefined) throw new ToolError("unavailable", "the client cannot be asked for inputs");
  const inputs = { user_context: question("What context should the prompt use?", "context") };
  const { user_context: answer } = await client.request(inputs);
  return JSON.stringify(answer?.["content"] ?? {});
}
