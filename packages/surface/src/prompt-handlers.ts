import {
  renderPrompt,
  ToolError,
  type ListedPrompt,
  type Prompt,
  type PromptContext,
  type Remote,
} from "@toolpacks/core";
import { protocolAnswer } from "./protocol-answer.ts";
import type { AnswerInRounds } from "./request-rounds.ts";
import type { Handlers } from "./protocol-server.ts";

interface Sources {
  readonly inRounds: AnswerInRounds;
  /** Prompts of our packs. */
  readonly own: () => Promise<readonly Prompt[]>;
  /** Resolves to a function that renders how a model calls a tool. */
  readonly callOf: () => Promise<(tool: string) => string>;
  /** Servers behind packs. The names of a server's prompts begin with its prefix. */
  readonly remotes: () => readonly Remote[];
}

interface GetRequest {
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, string>> };
}

/** Handlers that list the prompts of our packs and then of other servers. A pack's prompt wins over another of the same name. */
export function promptHandlers({ inRounds, own, callOf, remotes }: Sources): Handlers {
  return {
    "prompts/list": async () => {
      const [ours, theirs] = await Promise.all([own(), Promise.all(remotes().map((remote) => remote.prompts()))]);
      const taken = new Set(ours.map(({ name }) => name));
      return { prompts: [...ours.map(list), ...theirs.flat().filter(({ name }) => !taken.has(name))] };
    },
    "prompts/get": ({ params: { name = "", arguments: args = {} } = {} }: GetRequest, raw) =>
      inRounds({ raw, name: "prompts/get", args: [name, args] }, (context) =>
        protocolAnswer(async () => {
          const prompt = (await own()).find((one) => one.name === name);
          if (prompt !== undefined) return render(prompt, args, { ...context, callOf: await callOf() });
          const remote = remoteOf(remotes(), name);
          if (remote !== undefined) return { ...(await remote.prompt(name, args, context)) };
          throw unknownPrompt(name);
        }),
      ),
  };
}

/** Maximum suggestions in one response, as the protocol sets it. */
const maxSuggestions = 100;

/** The handler that suggests values for the arguments of our packs' prompts. Other arguments have no suggestions. */
export function completionHandlers({ own, remotes }: Sources): Handlers {
  return {
    "completion/complete": ({ params: { ref, argument, context } }: CompleteRequest) =>
      protocolAnswer(async () => {
        const { name } = ref;
        const prompt = (await own()).find((one) => one.name === name);
        if (name !== undefined && prompt === undefined && remoteOf(remotes(), name) === undefined)
          throw unknownPrompt(name);
        const completed = prompt?.arguments.find((one) => one.name === argument.name);
        const all = (await completed?.complete?.(argument.value, context?.arguments ?? {})) ?? [];
        const values = all.slice(0, maxSuggestions);
        return { completion: { values, total: all.length, hasMore: all.length > values.length } };
      }),
  };
}

interface CompleteRequest {
  readonly params: {
    /** A prompt by its name, or a resource template by its URI. */
    readonly ref: { readonly name?: string };
    readonly argument: { readonly name: string; readonly value: string };
    readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
  };
}

function unknownPrompt(name: string): ToolError {
  return new ToolError("invalid_input", `there is no prompt ${JSON.stringify(name.slice(0, 64))}`);
}

function list({ name, description, arguments: args }: Prompt): ListedPrompt {
  const listed = args.map((one) => ({ name: one.name, description: one.description, required: one.required }));
  return { name, description, arguments: listed.length > 0 ? listed : undefined };
}

async function render(prompt: Prompt, args: Readonly<Record<string, string>>, context: PromptContext): Promise<object> {
  return { description: prompt.description, messages: await renderPrompt(prompt, args, context) };
}

/** The server whose prefix begins the name. The longest prefix wins: `git_lab_` before `git_`. */
function remoteOf(remotes: readonly Remote[], name: string): Remote | undefined {
  const matching = remotes.filter(({ prefix }) => name.startsWith(prefix));
  return matching.sort((a, b) => b.prefix.length - a.prefix.length)[0];
}
