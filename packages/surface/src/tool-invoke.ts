import {
  checkArguments,
  defineTool,
  failedReply,
  reply,
  ToolError,
  type Catalog,
  type Dispatcher,
  type Outcome,
  type Reply,
  type ToolContext,
} from "@toolpacks/core";
import { z } from "zod";
import { signature } from "./signature.ts";

/** An object, or its JSON text: some models send text. Dispatch has counted the values of an object, and counted the text as one. */
const looseArguments = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    const parsed = parseText(value);
    if (parsed === undefined) {
      context.addIssue({ code: "custom", message: "expected an object; this string is not valid JSON" });
      return z.NEVER;
    }
    checkArguments(parsed);
    return parsed;
  },
  z.record(z.string(), z.unknown()),
);

function parseText(text: string): unknown {
  try {
    return text.trim() === "" ? {} : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

const input = z.object({
  name: z.string().max(200).describe("a tool's name"),
  args: looseArguments.optional().describe("its arguments"),
  structured: z.boolean().optional().describe("answer JSON"),
});
const output = z.looseObject({});

type Invocation = z.output<typeof input>;

/** `tool_invoke`: calls any tool. */
export function toolInvoke(catalog: Catalog, dispatcher: Dispatcher) {
  return defineTool({
    name: "tool_invoke",
    description: "Call a tool by name, also one that changes things.",
    keywords: ["call", "run", "execute", "write", "change"],
    mutates: true,
    effects: { openWorld: true },
    media: true,
    input,
    output,
    handler: (call, context) => invoke({ catalog, dispatcher, context }, call),
  });
}

/** `tool_read`: calls tools that change nothing, so that users can permit reads only. */
export function toolRead(catalog: Catalog, dispatcher: Dispatcher) {
  return defineTool({
    name: "tool_read",
    description: "Call a tool that changes nothing.",
    keywords: ["call", "run", "read", "look up", "view"],
    mutates: false,
    effects: { openWorld: true },
    media: true,
    input,
    output,
    handler: async (call, context) => {
      const found = catalog.resolveIfLoaded(call.name) ?? (await catalog.resolve(call.name));
      if (!("failure" in found) && found.tool.mutates) {
        const message = `${call.name} changes things; tool_read calls only tools that change nothing`;
        throw new ToolError("denied", message, "Call it with tool_invoke.");
      }
      return invoke({ catalog, dispatcher, context }, call);
    },
  });
}

interface InvokeContext {
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  readonly context: ToolContext;
}

async function invoke({ catalog, dispatcher, context }: InvokeContext, call: Invocation): Promise<Reply> {
  const { name, args, structured = false } = call;
  const outcome = await dispatcher.dispatch({
    name,
    args,
    isCounted: true,
    context: structured ? { ...context, resultMode: "structured" } : context,
  });
  // The model gets another server's error content unchanged.
  const meta = outcome.meta && { meta: outcome.meta };
  if (!outcome.ok && outcome.blocks !== undefined) {
    return { ...failedReply(outcome.blocks, outcome.failure, outcome.value), ...meta };
  }
  if (!outcome.ok) throw await withSignature(catalog, name, outcome.failure);
  return { ...asReply(outcome), ...meta, ...(structured && { form: "structured" }) };
}

/** Adds the tool's signature to the error of wrong arguments. */
async function withSignature(
  catalog: Catalog,
  name: string,
  { code, message, hint }: { code: ToolError["code"]; message: string; hint?: string },
): Promise<ToolError> {
  if (code !== "invalid_input") return new ToolError(code, message, hint);
  const found = await catalog.resolve(name);
  if ("failure" in found) return new ToolError(code, message, hint);
  return new ToolError(
    code,
    message,
    [...(hint === undefined ? [] : [hint]), `Call ${signature(found.tool)}`].join("\n"),
  );
}

function asReply(outcome: Extract<Outcome, { ok: true }>): Reply {
  const blocks = outcome.blocks ?? [{ type: "text" as const, text: outcome.text }];
  const notice = outcome.notice === undefined ? [] : [{ type: "text" as const, text: outcome.notice }];
  return reply([...blocks, ...notice], outcome.value, outcome.links);
}
