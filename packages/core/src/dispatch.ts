import type { Catalog } from "./catalog.ts";
import { exceededBound } from "./count-elements.ts";
import type { Call, Interceptor, Outcome } from "./interceptor.ts";
import { isReply } from "./reply.ts";
import { ToolError, type ErrorCode, type Failure } from "./tool-error.ts";
import type { CallContext, Elicit, Tool, ToolContext } from "./tool.ts";

/** A call as whoever makes it says it: a surface, a workflow step, the command line. */
export interface DispatchRequest {
  readonly name: string;
  /** An object; nothing counts as `{}`. */
  readonly args?: unknown;
  readonly context?: CallContext;
  readonly signal?: AbortSignal;
  readonly progress?: ToolContext["progress"];
  readonly elicit?: Elicit;
}

/** The one path by which any tool is called. */
export interface Dispatcher {
  /** Never rejects: every failure is an outcome. */
  dispatch(request: DispatchRequest): Promise<Outcome>;
  /** Resolves when no call is running. A server waits for it before it exits. */
  idle(): Promise<void>;
}

type OnBug = (error: unknown, name: string) => void;

export interface DispatcherOptions {
  /** Outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Told of every error that is not a ToolError, with the call. Default: prints it to stderr. */
  readonly onBug?: OnBug;
}

/** Arguments beyond these are refused before anything reads them: validation could take seconds, and recursion would run out of stack. */
const argumentBounds = { maxElements: 10_000, maxDepth: 200 };

const never = new AbortController().signal;
const noProgress = async () => {};

/** Creates the dispatcher of a catalog: find the tool, policy, interceptors, validate, run, validate the result. */
export function createDispatcher(catalog: Catalog, options: DispatcherOptions = {}): Dispatcher {
  const onBug = options.onBug ?? ((error, name) => console.error(`toolpacks: ${name} failed:`, error));
  const run = compose(options.interceptors ?? [], invoke, onBug);
  const running: { count: number; none?: PromiseWithResolvers<void> | undefined } = { count: 0 };

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
          running.none?.resolve();
          running.none = undefined;
        }
      }
    },
    async idle() {
      while (running.count > 0) await (running.none ??= Promise.withResolvers()).promise;
    },
  };
}

function noticeFor({ name, deprecated }: Tool, alias: string | undefined): string | undefined {
  if (deprecated !== undefined) return `${alias ?? name} is deprecated: ${deprecated}`;
  return alias === undefined ? undefined : `${alias} is now ${name}; call that.`;
}

type Step = (call: Call) => Promise<Outcome>;

/** Each step that an interceptor calls is behind the boundary that turns what it throws into a failure, so that `next` never rejects. */
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
  // Interceptors may have put other values in.
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

/** @throws ToolError naming the bound */
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

/** The one boundary between errors for the model and bugs. */
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
