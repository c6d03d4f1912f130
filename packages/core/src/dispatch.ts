import { randomBytes } from "node:crypto";
import { createCallCount } from "./call-count.ts";
import type { Catalog } from "./catalog.ts";
import type { Call, CallEnd, CallObserver, Interceptor, ObservedCall } from "./interceptor.ts";
import { measure } from "@toolpacks/schema";
import { isReply, type Outcome } from "./outcome.ts";
import { principalOf } from "./principal.ts";
import { ToolError, type ErrorCode, type Failure } from "./tool-error.ts";
import type { DispatchRequest, Tool, ToolAccess, ToolContext } from "./tool.ts";

/** Runs tool calls. Every tool call goes through a dispatcher. */
export interface Dispatcher extends ToolAccess {
  /** Resolves when no call is running. A server waits for it before it exits. */
  idle(): Promise<void>;
}

type OnBug = (error: unknown, name: string) => void;

export interface DispatcherOptions {
  /** Interceptors around each call, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Run around each call, outside of the interceptors, outermost first. */
  readonly observers?: readonly CallObserver[];
  /** Called with every error that is not a ToolError, and the name of the tool. Default: prints the error to stderr. */
  readonly onBug?: OnBug;
}

/** Limits of arguments, checked first. Larger arguments could take seconds to validate or overflow the stack. */
const argumentBounds = { maxDepth: 200, maxValues: 10_000 };

/** The context of a call from inside the process. */
const inProcess: ToolContext = { signal: new AbortController().signal, progress: async () => {}, principal: "" };

/** Creates a dispatcher. A call finds the tool, applies the policy, runs the interceptors, validates, runs the tool and validates the result. */
export function createDispatcher(catalog: Catalog, options: DispatcherOptions = {}): Dispatcher {
  const onBug = options.onBug ?? ((error, name) => console.error(`toolpacks: ${name} failed:`, error));
  const run = compose(options.interceptors ?? [], invoke, onBug);
  const running = createCallCount();

  const perform = async (request: DispatchRequest, context: ToolContext): Promise<CallEnd> => {
    const { name, refusal } = request;
    const args = request.args ?? {};
    let entry: CallEnd["entry"];
    try {
      const found = catalog.resolveIfLoaded(name) ?? (await catalog.resolve(name));
      const problem = refusal ?? (request.isCounted === true ? undefined : argumentsProblem(args));
      if ("failure" in found) return { outcome: refused(problem ?? found.failure), entry: found.refused };
      entry = found;
      const { tool, facet, alias } = found;
      if (problem !== undefined) return { outcome: refused(problem), entry };
      const outcome = await run({ tool, facet, name, args, context });
      const notice = noticeFor(tool, alias);
      return { outcome: notice === undefined || !outcome.ok ? outcome : { ...outcome, notice }, entry };
    } catch (error) {
      return { outcome: failed(error, { name, signal: context.signal, onBug }), entry };
    }
  };
  const { observers = [] } = options;

  const dispatch = (request: DispatchRequest): Promise<Outcome> => {
    const id = newCallId();
    const context = { ...contextOf(request, access), callId: id };
    const { name, args = {} } = request;
    const call = { id, parent: request.context?.callId, name, args, context };
    return running.run(async () => (await observed(observers, call, (of) => perform(request, of))).outcome);
  };
  const { resolve, entries, stepTypes, resolveStep, kinds } = catalog;
  const access: Dispatcher = { resolve, entries, stepTypes, resolveStep, kinds, dispatch, idle: () => running.idle() };
  return access;
}

/** Differs between processes, so that call ids do. */
const processId = randomBytes(4).toString("hex");
let callCount = 0;

function newCallId(): string {
  callCount += 1;
  return `${processId}-${callCount}`;
}

/** Runs a call inside of the observers. */
function observed(
  [observer, ...inner]: readonly CallObserver[],
  call: ObservedCall,
  run: (context: ToolContext) => Promise<CallEnd>,
): Promise<CallEnd> {
  if (observer === undefined) return run(call.context);
  return observer(call, (context) => observed(inner, { ...call, context }, run));
}

function refused(reason: Failure): Outcome {
  return { ok: false, failure: reason, isRefused: true };
}

function contextOf({ context = {} }: DispatchRequest, access: ToolAccess): ToolContext {
  // A caller with a token must never pass for the local user.
  const principal = context.principal ?? principalOf(context.auth);
  return { ...inProcess, ...context, principal, access: accessFor(access, principal) };
}

/** The access of a principal's calls. Calls that a handler makes through it are the principal's too. */
function accessFor(access: ToolAccess, principal: string): ToolAccess {
  if (principal === "") return access;
  const dispatch: ToolAccess["dispatch"] = (request) =>
    access.dispatch({ ...request, context: { ...request.context, principal } });
  return { ...access, dispatch };
}

function noticeFor({ name, deprecated }: Tool, alias: string | undefined): string | undefined {
  if (deprecated !== undefined) return `${alias ?? name} is deprecated: ${deprecated}`;
  return alias === undefined ? undefined : `${alias} is now ${name}; call that.`;
}

type Step = (call: Call) => Promise<Outcome>;

/**
 * Nests the interceptors around the last step. Each step turns its errors into a failure, so `next` never rejects. Arguments that an interceptor
 * replaces are counted again.
 */
function compose(interceptors: readonly Interceptor[], last: Step, onBug: OnBug): Step {
  return interceptors.reduceRight<Step>(
    (step, interceptor) => (call) =>
      interceptor(call, async (next) => {
        try {
          const problem = next.args === call.args ? undefined : argumentsProblem(next.args);
          if (problem !== undefined) return refused(problem);
          return await step(next);
        } catch (error) {
          return failed(error, { name: next.name, signal: next.context.signal, onBug });
        }
      }),
    last,
  );
}

async function invoke({ tool, args, context }: Call): Promise<Outcome> {
  context.signal.throwIfAborted();
  const checked = tool.input.check(args);
  const input = checked instanceof Promise ? await checked : checked;
  if (!input.ok) return refused({ code: "invalid_input", message: input.message });
  const result = await tool.run(input.value, context);
  if (isReply(result)) {
    const { blocks, structured: value, failure: failed, links, notice, form, meta } = result;
    if (failed !== undefined) return { ok: false, failure: failed, blocks, value, meta };
    return { ok: true, text: "", blocks, value, links, notice, form, meta };
  }
  if (tool.output === undefined) return success(tool.render(result), result);
  const output = await tool.output.check(result);
  if (!output.ok) throw new Error(`the result does not match its output schema: ${output.message}`);
  return success(tool.render(output.value), output.value);
}

/** Counts the values and levels of arguments. @throws ToolError naming the exceeded limit */
export function checkArguments(args: unknown): void {
  const problem = argumentsProblem(args);
  if (problem !== undefined) throw new ToolError(problem.code, problem.message, problem.hint);
}

/** Counts the values and levels of arguments. Returns the exceeded limit. */
function argumentsProblem(args: unknown): Failure | undefined {
  const { exceeded } = measure(args, argumentBounds);
  if (exceeded === undefined) return undefined;
  const { maxDepth, maxValues } = argumentBounds;
  if (exceeded === "maxDepth") {
    const message = `args: objects and arrays are nested more than ${maxDepth} levels deep`;
    return { code: "invalid_input", message, hint: `Send arguments of at most ${maxDepth} levels.` };
  }
  return {
    code: "too_large",
    message: `args: more than ${maxValues} values`,
    hint: "Split the call into smaller ones.",
  };
}

function success(text: string, value: unknown): Outcome {
  return { ok: true, text, value: value as Readonly<Record<string, unknown>> };
}

interface FailedCall {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onBug: OnBug;
}

/** Converts a thrown error into an outcome. Only this function separates errors for the model from bugs. */
function failed(error: unknown, { name, signal, onBug }: FailedCall): Outcome {
  if (ToolError.is(error)) return failure(error.code, error.message, error.hint);
  if (signal.aborted) return failure("cancelled", `${name} was cancelled`);
  onBug(error, name);
  return failure(
    "internal",
    `${name} failed inside the server`,
    "The server's log has the cause; trying again may not help.",
  );
}

function failure(code: ErrorCode, message: string, hint?: string): Outcome {
  return { ok: false, failure: { code, message, hint } };
}
