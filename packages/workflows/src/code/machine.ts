import { JSException, QuickJS, type JSValueHandle, type QuickJSOptions } from "quickjs-wasi";
import { prelude } from "./prelude.ts";
import {
  machineLimits,
  type CodeEnd,
  type CodeRequest,
  type Delivery,
  type Limit,
  type ScriptLimits,
  type Slice,
  type Task,
  type ThrownError,
} from "./protocol.ts";

type Begin = Extract<Task, { kind: "begin" }>;

/** A script in a machine of its own. */
export interface Machine {
  /** Runs the script until it waits or ends. */
  begin(): Slice;
  /** Settles what the script waits for, and runs it on. */
  go(deliveries: readonly Delivery[], now: number): Slice;
  /** Frees its memory. */
  end(): void;
}

const maxPendingIds = Number.MAX_SAFE_INTEGER;

/**
 * Creates a machine for one script. It has no file, network, timer or process, and its clock stands still while the script runs.
 *
 * @returns a function that gives the machine its script, an expression whose value is a promise
 */
export async function createMachine(wasm: object): Promise<(js: string, begin: Begin) => Machine> {
  const clock = { ms: 0 };
  const state = createState();
  const vm = await QuickJS.create({
    wasm: wasm as NonNullable<QuickJSOptions["wasm"]>,
    memoryLimit: machineLimits.memory,
    maxStackSize: machineLimits.stack,
    timezoneOffset: 0,
    interruptHandler: () => state.isOver(),
    wasi: (memory: { readonly buffer: ArrayBufferLike }) => ({
      clock_time_get(_clock: number, _precision: bigint, at: number) {
        new DataView(memory.buffer).setBigUint64(at, BigInt(Math.round(clock.ms * 1_000)) * 1_000n, true);
        return 0;
      },
      // The engine prints nothing that a user needs.
      fd_write: () => 0,
    }),
  });
  const host = vm.newFunction("host", (kind, value) =>
    vm.newNumber(state.take(kind?.toString() ?? "", value?.toString() ?? "")),
  );
  const prepare = vm.evalCode(prelude, "prelude");
  return (js, { variables, seed, now, limits }) => {
    clock.ms = now;
    state.setLimits(limits);
    const made = vm.callFunction(prepare, vm.undefined, host, vm.newString(variables), vm.newNumber(seed));
    return machineOf({ vm, state, clock }, js, made);
  };
}

interface Parts {
  readonly vm: QuickJS;
  readonly state: ReturnType<typeof createState>;
  readonly clock: { ms: number };
}

/** @param made what the prelude returned */
function machineOf({ vm, state, clock }: Parts, js: string, made: JSValueHandle): Machine {
  const [start, settle] = [made.getProp("start"), made.getProp("settle")];
  const call = (fn: JSValueHandle, ...args: JSValueHandle[]) => {
    vm.callFunction(fn, vm.undefined, ...args).dispose();
    for (const one of args) one.dispose();
  };
  const run = (work: () => void): Slice =>
    state.slice(() => {
      work();
      vm.executePendingJobs();
    });
  return {
    begin: () => run(() => call(start, vm.evalCode(js, "code"))),
    go: (deliveries, at) =>
      run(() => {
        clock.ms = at;
        for (const { id, kind, json } of deliveries)
          call(settle, vm.newNumber(id), vm.newString(kind), vm.newString(json));
      }),
    // A machine that trapped may not be entered again. Its memory is its own, and goes with it.
    end: () => (state.isBroken() ? undefined : vm.dispose()),
  };
}

/** What the script asks for and prints, and its limits. */
function createState() {
  let limits: ScriptLimits = { time: 0, output: 0, calls: 0, size: 0 };
  let requests: CodeRequest[] = [];
  let printed = "";
  let end: CodeEnd | undefined;
  let isBroken = false;
  let [usedMs, started, characters, output, calls, reads] = [0, Infinity, 0, 0, 0, maxPendingIds];
  const exceed = (limit: Limit): number => {
    end = { kind: "limit", limit };
    throw new Error(`the script exceeds its limit of ${limit}`);
  };
  const take = (kind: string, text: string): number => {
    if (end !== undefined) throw new Error("the script has ended");
    if (kind === "dry") end = { kind, id: Number(text) };
    else if (kind === "thrown") end = endOf(JSON.parse(text) as ThrownError);
    else if (kind === "print") {
      output += text.length + 1;
      if (output > limits.output) return exceed("output");
      printed += `${text}\n`;
    } else {
      characters += text.length;
      if (characters > limits.size) return exceed("size");
      if (kind === "result") end = { kind, json: text };
      else if (kind === "read") requests.push({ id: (reads -= 1), kind, json: text });
      else if ((calls += 1) > limits.calls) return exceed("calls");
      else requests.push({ id: calls, kind: kind as "tool" | "ask" | "open", json: text });
    }
    return kind === "read" ? reads : calls;
  };
  const isOver = () => {
    if (end !== undefined) return true;
    if (usedMs + performance.now() - started <= limits.time) return false;
    end = { kind: "limit", limit: "time" };
    return true;
  };
  return {
    take,
    isOver,
    setLimits: (given: ScriptLimits): void => void (limits = given),
    isBroken: () => isBroken,
    slice(work: () => void): Slice {
      [requests, printed, characters, started] = [[], "", 0, performance.now()];
      try {
        work();
      } catch (error) {
        isBroken ||= !(error instanceof JSException) && isTrap(error);
        end ??= isBroken ? { kind: "limit", limit: "stack" } : endOf(errorOf(error));
      }
      usedMs += performance.now() - started;
      started = Infinity;
      return { requests, printed, ...(end && { end }) };
    },
  };
}

/** Whether the engine itself failed. */
function isTrap(error: unknown): boolean {
  return error instanceof Error && (error instanceof RangeError || error.name === "RuntimeError");
}

function errorOf(error: unknown): ThrownError {
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  return { name, message };
}

/** The engine tells an exceeded limit by an error of its own. */
function endOf(error: ThrownError): CodeEnd {
  const { name, message } = error;
  if (/out of memory|string too long|array buffer/i.test(message) && /InternalError/.test(`${name} ${message}`))
    return { kind: "limit", limit: "memory" };
  if (message.includes("Maximum call stack size exceeded")) return { kind: "limit", limit: "stack" };
  return { kind: "thrown", error };
}
