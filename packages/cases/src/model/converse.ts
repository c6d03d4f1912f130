import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { estimateTokens } from "@toolpacks/core";
import { boundedFetch } from "@toolpacks/bounded-io";
import { dynamicTool, generateText, jsonSchema, type ModelMessage, type ToolSet } from "ai";
import type { Conversation, MadeCall, TokenCount } from "../conversation.ts";
import type { OpenTools, ToolAnswer } from "../open-tools.ts";
import { ModelError, modelError } from "./model-error.ts";
import type { Profile } from "./profile.ts";

export interface ConverseOptions {
  readonly profile: Profile;
  readonly tools: OpenTools;
  readonly prompt: string;
  readonly system?: string;
  /** Number of retries of a failed request. Default 2. */
  readonly maxRetries?: number;
  readonly signal?: AbortSignal;
}

const maxResponseBytes = 16 * 1024 * 1024;
const fetch = boundedFetch({ maxBytes: maxResponseBytes });

const maxTurns = 20;

/**
 * Sends a prompt to a model and makes the requested calls one after another, until the model answers without a call.
 *
 * @throws ModelError when the model cannot be reached or its response is invalid
 */
export async function converse(options: ConverseOptions): Promise<Conversation> {
  const { tools, prompt, system } = options;
  const messages: ModelMessage[] = [{ role: "user", content: prompt }];
  const calls: MadeCall[] = [];
  const counts: TokenCount[] = [];
  const summary = () => ({
    calls,
    tokens: sumTokens(counts),
    messages: system === undefined ? messages : [{ role: "system", content: system }, ...messages],
  });
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const answers: Answers = new Map();
    const step = await askOnce(options, messages, modelTools(tools, answers));
    const { inputTokens, outputTokens } = step.usage;
    counts.push({
      in: inputTokens ?? estimateTokens(JSON.stringify([messages, tools.listed])),
      out: outputTokens ?? estimateTokens(step.text),
      isEstimated: inputTokens === undefined || outputTokens === undefined,
    });
    messages.push(...step.response.messages);
    calls.push(...step.toolCalls.map((call) => ({ ...madeCall(call, tools, answers), turn })));
    if (step.toolCalls.length === 0) return { ...summary(), answer: step.text, turns: turn };
  }
  return { ...summary(), turns: maxTurns };
}

/** The answers of calls, by call id. Calls that the SDK could not make are missing. */
type Answers = Map<string, ToolAnswer>;

interface AskedCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
}

function madeCall(call: AskedCall, { listed }: OpenTools, answers: Answers): Omit<MadeCall, "turn"> {
  const { toolName, toolCallId, input } = call;
  const isKnown = listed.some(({ name }) => name === toolName);
  const answer = answers.get(toolCallId);
  const notMade = isKnown ? "its arguments are not JSON" : "there is no such tool";
  const failure = answer === undefined ? notMade : answer.failure;
  return { tool: toolName, args: input, isKnown, handles: answer?.handles ?? [], failure };
}

async function askOnce(options: ConverseOptions, messages: readonly ModelMessage[], tools: ToolSet) {
  const { profile, system, maxRetries = 2, signal } = options;
  const { url, model, apiKey, temperature } = profile;
  const provider = createOpenAICompatible({ name: "endpoint", baseURL: url, fetch, apiKey });
  try {
    return await generateText({
      model: provider(model),
      messages: [...messages],
      tools,
      maxRetries,
      // A model names its calls in an order; a case asks for that order.
      toolCallConcurrency: 1,
      instructions: system,
      temperature,
      abortSignal: signal,
    });
  } catch (error) {
    if (signal?.aborted === true) throw new ModelError(`timed out waiting for model ${model}`);
    throw modelError(error, model);
  }
}

/** Converts the tools for the SDK. The answer of each call is stored by its id. */
function modelTools(tools: OpenTools, answers: Answers): ToolSet {
  return Object.fromEntries(
    tools.listed.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema({ ...inputSchema }),
        execute: async (input, { toolCallId, abortSignal }) => {
          const answer = await tools.call({ name, args: input, signal: abortSignal });
          answers.set(toolCallId, answer);
          // An error is how the SDK tells a model that a call failed.
          if (answer.failure !== undefined) throw new Error(answer.failure);
          return answer.text;
        },
      }),
    ]),
  );
}

function sumTokens(counts: readonly TokenCount[]): TokenCount {
  return {
    in: counts.reduce((total, one) => total + one.in, 0),
    out: counts.reduce((total, one) => total + one.out, 0),
    isEstimated: counts.some(({ isEstimated }) => isEstimated),
  };
}
