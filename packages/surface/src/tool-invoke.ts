import {
  checkArguments,
  defineTool,
  describeIssues,
  detail,
  failedReply,
  jsonValue,
  reply,
  ToolError,
  unlisted,
  type Catalog,
  type Dispatcher,
  type DispatchRequest,
  type Failure,
  type Reply,
  type Resolution,
  type ToolContext,
} from "@toolpacks/core";
import { z } from "zod";
import { maxCalls, type BatchCall } from "./batch/batch.ts";
import { directCallFailure } from "./direct-call-failure.ts";

/** An object, or its JSON text: some models send text. Dispatch has counted the values of an object, and counted the text as one. */
const looseArguments = z.preprocess(
  (value, context) => {
    if (typeof value !== "string") return value;
    const parsed = value.trim() === "" ? {} : jsonValue(value);
    if (parsed === undefined) {
      context.addIssue({ code: "custom", message: "expected an object; this string is not valid JSON" });
      return z.NEVER;
    }
    checkArguments(parsed);
    return parsed;
  },
  z.record(z.string(), z.unknown()),
);

const rowFields = z.array(z.string().max(200)).min(1).max(100);

const call = z.strictObject({
  id: z.string().max(40).optional(),
  name: z.string().max(200),
  args: looseArguments.optional(),
  fields: rowFields.optional(),
  continueOnFailure: z.boolean().optional(),
  show: z.boolean().optional(),
});

/** @param calls describes the field of several calls */
const inputWith = (calls: string) =>
  z.object({
    name: z.string().max(200).optional().describe("a tool's name"),
    args: looseArguments.optional().meta(detail("its arguments")),
    fields: rowFields.optional().meta(unlisted("shows only these fields of the rows of a result")),
    structured: z.boolean().optional().describe("answer JSON"),
    calls: z.array(z.record(z.string(), z.unknown())).min(1).max(maxCalls).optional().describe(calls),
    strategy: z.enum(["serial", "parallel"]).optional().meta(unlisted("of calls; default serial")),
  });
const output = z.looseObject({});

type Invocation = z.output<ReturnType<typeof inputWith>>;
type SingleCall = Invocation & { readonly name: string };

/** `tool_invoke`: calls any tool, or several. */
export function toolInvoke(catalog: Catalog, dispatcher: Dispatcher) {
  return defineTool({
    name: "tool_invoke",
    description: "Call a tool, also one that changes things, or several.",
    keywords: ["call", "run", "execute", "write", "change", "batch"],
    mutates: true,
    effects: { openWorld: true, calls: true },
    media: true,
    input: inputWith(
      "[{name, args, fields: shown of rows}]; ${steps.s1.items[0].id}: from the first; strategy: parallel",
    ),
    output,
    handler: (given, context) => invokeAll({ catalog, dispatcher, context }, given),
  });
}

/** `tool_read`: calls tools that change nothing, so that users can permit reads only. */
export function toolRead(catalog: Catalog, dispatcher: Dispatcher) {
  return defineTool({
    name: "tool_read",
    description: "Call a tool that changes nothing, or several.",
    keywords: ["call", "run", "read", "look up", "view", "batch"],
    mutates: false,
    effects: { openWorld: true },
    media: true,
    input: inputWith("as in tool_invoke"),
    output,
    handler: async (given, context) => invokeAll({ catalog, dispatcher, context, isReadOnly: true }, given),
  });
}

interface InvokeContext {
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  readonly context: ToolContext;
  /** Whether tools that change things are refused. Default false. */
  readonly isReadOnly?: boolean;
}

async function invokeAll(within: InvokeContext, given: Invocation): Promise<Reply> {
  const { calls, strategy } = given;
  if (calls !== undefined) {
    if (given.name !== undefined || given.args !== undefined || given.fields !== undefined)
      throw new ToolError("invalid_input", "calls: expected either calls, or the name and args of one call");
    return invokeCalls(within, given, calls);
  }
  const { name } = given;
  if (name === undefined) throw new ToolError("invalid_input", "name: required (or calls, for several calls)");
  if (strategy !== undefined) throw new ToolError("invalid_input", "strategy: only for calls");
  const failure = directCallFailure(name, "as the name of another call");
  if (failure !== undefined) throw new ToolError(failure.code, failure.message);
  if (within.isReadOnly === true)
    await refuseChange(within, { name, args: given.args }, await find(within.catalog, name));
  return invoke(within, { ...given, name });
}

/** Refuses a call that changes things if only reading is allowed. Dispatches it, so that observers see it. @throws ToolError with the reason */
async function refuseChange(
  { dispatcher, context, isReadOnly = false }: InvokeContext,
  { name, args }: Pick<DispatchRequest, "name" | "args">,
  found: Resolution,
): Promise<void> {
  if (!isReadOnly || "failure" in found || !found.tool.mutates) return;
  const message = `${name} changes things; tool_read calls only tools that change nothing`;
  const refusal = new ToolError("denied", message, "Call it with tool_invoke.");
  await dispatcher.dispatch({ name, args, context, refusal });
  throw refusal;
}

async function find(catalog: Catalog, name: string): Promise<Resolution> {
  return catalog.resolveIfLoaded(name) ?? (await catalog.resolve(name));
}

async function invokeCalls(
  within: InvokeContext,
  { strategy = "serial", structured = false }: Invocation,
  calls: NonNullable<Invocation["calls"]>,
): Promise<Reply> {
  const { catalog, dispatcher, context } = within;
  const { progress, ...rest } = context;
  const requested: BatchCall[] = [];
  for (const [at, one] of calls.entries()) {
    const parsed = call.safeParse(one);
    if (!parsed.success) throw new ToolError("invalid_input", callProblem(parsed.error, at), callForm);
    const { name, args = {}, ...more } = parsed.data;
    const failure = directCallFailure(name, "inside calls");
    const target = failure === undefined ? await find(catalog, name) : { failure };
    await refuseChange(within, { name, args }, target);
    requested.push({ ...more, name, target, args });
  }
  const { checkBatch } = await import("./batch/check-batch.ts");
  const { renderBatch } = await import("./batch/render-batch.ts");
  // Progress is reported per call of the batch, not by its calls.
  const caller = { ...rest, progress: async () => {}, ...(structured && { resultMode: "structured" as const }) };
  const checked = await checkBatch(requested, { dispatcher, context: caller, progress, strategy });
  const answer = renderBatch({ results: await checked.run() });
  return { ...answer, form: structured ? "structured" : undefined };
}

const callForm = 'A call is {"name", "args", "fields"?, "id"?, "continueOnFailure"?, "show"?}.';

function callProblem({ issues }: z.core.$ZodError, at: number): string {
  return describeIssues(issues, call).replaceAll(/(^|; )(?=\w)/g, `$1calls[${at}].`);
}

async function invoke({ catalog, dispatcher, context }: InvokeContext, call: SingleCall): Promise<Reply> {
  const { name, args, fields, structured = false } = call;
  const outcome = await dispatcher.dispatch({
    name,
    args,
    isCounted: true,
    context: { ...context, ...(structured && { resultMode: "structured" as const }), ...(fields && { fields }) },
  });
  const { value, blocks, meta } = outcome;
  if (!outcome.ok) {
    if (blocks === undefined) throw await withSignature(catalog, name, outcome.failure);
    // The model gets another server's error content unchanged.
    return { ...failedReply(blocks, outcome.failure, value), meta };
  }
  const { text, links, notice } = outcome;
  const content = reply(blocks ?? [{ type: "text", text }], value, links);
  return { ...content, notice, meta, form: structured ? "structured" : undefined };
}

/** Adds the tool's signature to the error of wrong arguments. */
async function withSignature(catalog: Catalog, name: string, { code, message, hint }: Failure): Promise<ToolError> {
  const found = code === "invalid_input" ? await catalog.resolve(name) : undefined;
  if (found === undefined || "failure" in found) return new ToolError(code, message, hint);
  const { signature } = await import("./signature.ts");
  const call = `Call ${signature(found.tool)}`;
  return new ToolError(code, message, hint === undefined ? call : `${hint}\n${call}`);
}
