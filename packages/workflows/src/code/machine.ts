import { JSException, QuickJS, type JSValueHandle } from "quickjs-wasi";
import { prelude } from "./prelude.ts";
import { fixedLimits, type CodeEnd, type Delivery, type Limits, type Slice, type ThrownError } from "./protocol.ts";

/**
 * A machine for one script. It has no file, network, timer or process, and its clock stands still while the script runs. Its memory is its own, and goes
 * with it.
 */
export class Machine {
  /** What the prelude returns. */
  #enter!: JSValueHandle;
  /** What the script may still use. The time is counted between the slices. */
  #left!: Record<keyof Limits, number>;
  #calls = 0;
  readonly #large = new Map<string, string>();
  /** The time of the clock, in ms. */
  #at = 0;
  #stopAt = Infinity;
  #slice: Slice = { requests: [], printed: "" };

  static async create(wasm: object): Promise<Machine> {
    const machine = new Machine();
    const vm = await QuickJS.create({
      wasm,
      memoryLimit: fixedLimits.memory,
      maxStackSize: fixedLimits.stack,
      timezoneOffset: 0,
      interruptHandler: () => machine.#isOver(),
      wasi: (memory: { readonly buffer: ArrayBufferLike }) => ({
        clock_time_get(_clock: number, _precision: bigint, place: number) {
          new DataView(memory.buffer).setBigUint64(place, BigInt(Math.round(machine.#at * 1_000)) * 1_000n, true);
          return 0;
        },
        // The engine prints nothing that a user needs.
        fd_write: () => 0,
      }),
    });
    let answer = vm.undefined;
    const host = vm.newFunction("host", (kind, value) => {
      // The script has the answer before this one. The handle would keep it in the memory of the machine.
      answer.dispose();
      answer = vm.newString(machine.#take(kind?.toString() ?? "", value?.toString() ?? ""));
      return answer;
    });
    machine.#enter = vm.callFunction(vm.evalCode(prelude, "prelude"), vm.undefined, host);
    return machine;
  }

  /** Runs a script until it waits or ends. @param js an expression whose value is a promise */
  begin(js: string, prepare: Delivery, limits: Limits): Slice {
    this.#left = { ...limits };
    return this.go([prepare, { ...prepare, kind: "start", json: js }]);
  }

  /** Settles what the script waits for, one after another, and runs it on. */
  go(deliveries: readonly Delivery[]): Slice {
    this.#slice = { requests: [], printed: "" };
    this.#left.size = fixedLimits.size;
    const started = performance.now();
    this.#stopAt = started + this.#left.time;
    try {
      for (const one of deliveries) this.#deliver(one);
    } catch (error) {
      // The engine itself failed.
      const isTrap = !(error instanceof JSException) && /RangeError|RuntimeError/.test((error as Error).name);
      this.#slice.end ??= isTrap ? { kind: "limit", limit: "stack" } : endOf(error as Error);
    }
    this.#left.time -= performance.now() - started;
    return this.#slice;
  }

  #deliver({ id, kind, json, handle, at }: Delivery): void {
    const { vm } = this.#enter;
    this.#at = at;
    if (handle !== undefined) this.#large.set(handle, json);
    const given = handle === undefined ? json : JSON.stringify({ handle, size: json.length });
    const values = [vm.newString(kind), vm.newNumber(id), vm.newString(given)];
    for (const one of [vm.callFunction(this.#enter, vm.undefined, ...values), ...values]) one.dispose();
    vm.executePendingJobs();
  }

  /**
   * Takes what the script asks for, prints or ends with. Nothing counts after the end: the engine stops the script soon, and errors would hold that up.
   *
   * @returns the number of a request, or what is read
   */
  #take(kind: string, text: string): string {
    if (this.#slice.end !== undefined) return "";
    if (kind === "read") return this.#read(text);
    if (kind === "dry") this.#slice.end = { kind, id: Number(text) };
    else if (kind === "thrown") this.#slice.end = endOf(JSON.parse(text) as ThrownError);
    else if (kind === "print") {
      if (this.#fits("output", text.length + 1)) this.#slice.printed += `${text}\n`;
    } else if (kind === "result") {
      if (this.#fits("size", text.length)) this.#slice.end = { kind, json: text };
    } else if (this.#fits("size", text.length) && this.#fits("calls", 1)) {
      this.#calls += 1;
      const request = { id: this.#calls, kind, json: text, made: this.#at };
      this.#slice.requests.push(request as Slice["requests"][number]);
    }
    return String(this.#calls);
  }

  /** The text of a large result. @throws Error for a text that is too long */
  #read(handle: string): string {
    const text = this.#large.get(handle) ?? "";
    if (text.length <= fixedLimits.size) return text;
    throw new Error(`it has ${text.length} characters, more than the ${fixedLimits.size} that a script may read`);
  }

  #fits(limit: "output" | "calls" | "size", count: number): boolean {
    this.#left[limit] -= count;
    if (this.#left[limit] < 0) this.#slice.end = { kind: "limit", limit };
    return this.#slice.end === undefined;
  }

  #isOver(): boolean {
    if (performance.now() > this.#stopAt) this.#slice.end ??= { kind: "limit", limit: "time" };
    return this.#slice.end !== undefined;
  }
}

/** The engine tells an exceeded limit by an error of its own. */
function endOf(error: ThrownError): CodeEnd {
  const { name, message } = error;
  if (/out of memory|string too long|array buffer/i.test(message) && /InternalError/.test(`${name} ${message}`))
    return { kind: "limit", limit: "memory" };
  if (message.includes("Maximum call stack size exceeded")) return { kind: "limit", limit: "stack" };
  return { kind: "thrown", error: { ...error, name, message } };
}
