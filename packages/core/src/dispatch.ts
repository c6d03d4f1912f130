import type { Catalog } from "./catalog.ts";
import { exceededBound } from "./count-elements.ts";
import type { Call, Interceptor, Outcome } from "./interceptor.ts";
import { isReply } from "./reply.ts";
import { ToolError, type ErrorCode, type Failure } from "./tool-error.ts";
import type { CallContext, Elicit, Tool, ToolContext } from "./tool.ts";

/** A tool call as its caller makes it. Callers are surfaces, workflow steps and the command line. */
export interface DispatchRequest {
  readonly name: string;
  /** The arguments, an object. Default `{}`. */
  readonly args?: unknown;
  readonly context?: CallContext;
  readonly signal?: AbortSignal;
  readonly progress?: ToolContext["progress"];
  readonly elicit?: Elicit;
}

/** Runs tool calls. Every tool call goes through a dispatcher. */
export interface Dispatcher {
  /** Never rejects: every failure is an outcome. */
  dispatch(request: DispatchRequest): Promise<Outcome>;
  /** Resolves when no call is running. A server waits for it before it exits. */
  idle(): Promise<void>;
}

type OnBug = (error: unknown, name: string) => void;

export interface DispatcherOptions {
  /** Interceptors around each call, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Called with every error that is not a ToolError, and the name of the tool. Default: prints the error to stderr. */
  readonly onBug?: OnBug;
}

/** Limits of arguments, checked first. Larger arguments could take seconds to validate or overflow the stack. */
const argumentBounds = { maxElements: 10_000, maxDepth: 200 };

const never = new AbortController().signal;
const noProgress = async () => {};

/** Creates a dispatcher. A call finds the tool, applies the policy, runs the interceptors, validates, runs the tool and validates the result. */
export function createDispatcher(catalog: Catalog, options: DispatcherOptions = {}): Dispatcher {
  const onBug = options.onBug ?? ((error, name) => console.error(`toolpacks: ${name} failed:`, error));
  const run = compose(options.interceptors ?? [], invoke, onBug);
  const running: { count: number; idle?: PromiseWithResolvers<void> | undefined } = { count: 0 };

  return {
    async dispatch(request) {
      const { name, signal = never, progress = noProgress, elicit } = request;
      running.count += 1;
      try {
        const found = catalog.resolveIfLoaded(name) ?? (await catalog.resolve(name));
        if ("failure" in found) return { ok: false, failure: found.failure };
        const { tool, facet, alias } = found;
        checkBounds(request.args);
        const context = { ...request.context, signal, progress, ...(elicit && { elicit }) };
        const outcome = await run({ tool, facet, name, args: request.args ?? {}, context });
        const notice = noticeFor(tool, alias);
        return notice === undefined || !outcome.ok ? outcome : { ...outcome, notice };
      } catch (error) {
        return failed(error, { name, signal, onBug });
      } finally {
        running.count -= 1;
        if (running.count === 0) {
          running.idle?.resolve();
          running.idle = undefined;
        }
      }
    },
    async idle() {
      while (running.count > 0) await (running.idle ??= Promise.withResolvers()).promise;
    },
  };
}

function noticeFor({ name, deprecated }: Tool, alias: string | undefined): string | undefined {
  if (deprecated !== undefined) return `${alias ?? name} is deprecated: ${deprecated}`;
  return alias === undefined ? undefined : `${alias} is now ${name}; call that.`;
}

type Step = (call: Call) => Promise<Outcome>;

/** Nests the interceptors around the last step. Each step turns its errors into a failure, so `next` never rejects. */
function compose(interceptors: readonly Interceptor[], last: Step, onBug: OnBug): Step {
  const guard =
    (step: Step): Step =>
    async (call) => {
      try {
        return await step(call);
      } catch (error) {
        return failed(error, { name: call.name, signal: call.context.signal, onBug });
      }
    };
  return interceptors.reduceRight<Step>((step, interceptor) => {
    const next = guard(step);
    return (call) => interceptor(call, next);
  }, last);
}

async function invoke({ tool, args, context }: Call): Promise<Outcome> {
  context.signal.throwIfAborted();
  // An interceptor may have replaced the arguments.
  checkBounds(args);
  const checked = tool.input.check(args);
  const input = checked instanceof Promise ? await checked : checked;
  if (!input.ok) throw new ToolError("invalid_input", input.message);
  const result = await tool.run(input.value, context);
  if (isReply(result)) {
    const { blocks, structured, links, notice, failure: failed } = result;
    const value = structured && { value: structured };
    if (failed !== undefined) return { ok: false, failure: failed, blocks, ...value };
    return { ok: true, text: "", blocks, ...value, ...(links && { links }), ...(notice && { notice }) };
  }
  if (tool.output === undefined) return success(tool.render(result), result);
  const output = await tool.output.check(result);
  if (!output.ok) throw new Error(`the result does not match its output schema: ${output.message}`);
  return success(tool.render(output.value), output.value);
}

/** @throws ToolError naming the exceeded limit */
function checkBounds(args: unknown): void {
  const { maxElements, maxDepth } = argumentBounds;
  const exceeded = exceededBound(args, argumentBounds);
  if (exceeded === "maxElements") {
    throw new ToolError("too_large", `args: more than ${maxElements} values`, "Split the call into smaller ones.");
  }
  if (exceeded === "maxDepth") {
    const problem = `args: objects and arrays are nested more than ${maxDepth} levels deep`;
    throw new ToolError("invalid_input", problem, `Send arguments of at most ${maxDepth} levels.`);
  }
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
  const content: Failure = hint === undefined ? { code, message } : { code, message, hint };
  return { ok: false, failure: content };
}
