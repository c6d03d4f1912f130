import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkArguments, createDispatcher } from "./dispatch.ts";
import { createCatalog } from "./catalog.ts";
import { definePack } from "./define-pack.ts";
import { defineTool } from "./define-tool.ts";
import { ToolError } from "./tool-error.ts";
import type { CallObserver, Interceptor } from "./interceptor.ts";
import type { Tool, ToolContext } from "./tool.ts";

const input = z.object({ id: z.string().max(9), rows: z.array(z.int()).max(5).optional() });

type Input = z.output<typeof input>;

function tool(handler: (input: Input, context: ToolContext) => unknown): Tool {
  return defineTool({
    name: "thing_get",
    description: "Get it.",
    aliases: ["get_thing"],
    mutates: false,
    input,
    output: z.object({ id: z.string() }),
    text: ({ id }) => `thing ${id}`,
    handler: handler as () => { id: string },
  });
}

function dispatcher(handler: Parameters<typeof tool>[0] = ({ id }) => ({ id }), interceptors: Interceptor[] = []) {
  const bugs: unknown[] = [];
  const pack = definePack({ name: "things", description: "Things.", budget: 9, tools: () => [tool(handler)] })();
  const catalog = createCatalog({ packs: [pack] });
  return { ...createDispatcher(catalog, { interceptors, onBug: (error) => bugs.push(error) }), bugs };
}

const call = { name: "thing_get", args: { id: "a" } };
const fail = (error: unknown) => () => {
  throw error;
};

/** The same value, which counts how often something inside it is read. */
function watched<T>(value: T, looks: { count: number }): T {
  if (value === null || typeof value !== "object") return value;
  return new Proxy(value, {
    get(target, key): unknown {
      looks.count += 1;
      return watched(Reflect.get(target, key) as unknown, looks);
    },
  });
}

describe("dispatch", () => {
  test("answers with the checked value and its text", async () => {
    expect(await dispatcher(({ id }) => ({ id, extra: "dropped" })).dispatch(call)).toEqual({
      ok: true,
      text: "thing a",
      value: { id: "a" },
    });
  });

  test("turns a ToolError of any copy of the package into its failure", async () => {
    const things = dispatcher(fail(new ToolError("conflict", "id: changed", "Read it again.")));
    expect(await things.dispatch(call)).toEqual({
      ok: false,
      failure: { code: "conflict", message: "id: changed", hint: "Read it again." },
    });
    const twin = Object.assign(new Error("gone"), {
      code: "not_found",
      [Symbol.for("toolpacks.ToolError")]: true,
    });
    expect(await dispatcher(fail(twin)).dispatch(call)).toMatchObject({ failure: { code: "not_found" } });
    expect(things.bugs).toEqual([]);
  });

  test.each([new TypeError("secret at /home/me"), "a thrown secret", undefined, { message: "secret", code: "denied" }])(
    "turns the bug %s into internal without showing it, and passes the whole error to the log",
    async (bug) => {
      const things = dispatcher(fail(bug));
      const outcome = await things.dispatch(call);
      expect(outcome).toMatchObject({ ok: false, failure: { code: "internal" } });
      expect(JSON.stringify(outcome)).not.toContain("secret");
      expect(things.bugs).toEqual([bug]);
    },
  );

  test("treats a result that does not match its schema as a bug", async () => {
    const things = dispatcher(() => ({ id: 5 }));
    expect(await things.dispatch(call)).toMatchObject({ failure: { code: "internal" } });
    expect(String(things.bugs)).toContain("id: expected string, received number");
  });

  test("answers cancelled for a call cancelled before or while it runs, whatever the handler throws", async () => {
    let ran = false;
    const never = dispatcher(() => (ran = true));
    expect(await never.dispatch({ ...call, context: { signal: AbortSignal.abort() } })).toMatchObject({
      failure: { code: "cancelled" },
    });
    expect(ran).toBe(false);
    const controller = new AbortController();
    const running = dispatcher(async () => {
      controller.abort();
      throw new Error("socket hang up");
    });
    expect(await running.dispatch({ ...call, context: { signal: controller.signal } })).toMatchObject({
      failure: { code: "cancelled" },
    });
    expect(running.bugs).toEqual([]);
  });

  test("refuses wrong arguments by field, and arguments that are not an object", async () => {
    const things = dispatcher();
    expect(await things.dispatch({ name: "thing_get", args: { id: "a", row: [1] } })).toMatchObject({
      failure: { code: "invalid_input", message: "row: unknown field, did you mean rows? (accepted: id, rows)" },
    });
    for (const args of ["text", 5, [], true, null, undefined]) {
      expect(await things.dispatch({ name: "thing_get", args })).toMatchObject({ failure: { code: "invalid_input" } });
    }
  });

  test("stops counting the values of a call at the limit", async () => {
    const things = dispatcher();
    const filters = { id: "a", filters: Array.from({ length: 1_000_000 }, () => ({})) };
    const deep = JSON.parse(`${'{"a":['.repeat(50_000)}${"]}".repeat(50_000)}`) as unknown;
    const wide = { id: "a", rows: Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => 0)) };
    for (const [args, code] of [
      [filters, "too_large"],
      [deep, "invalid_input"],
      [wide, "too_large"],
    ] as const) {
      const looks = { count: 0 };
      const call = { name: "thing_get", args: watched(args, looks) };
      expect(await things.dispatch(call)).toMatchObject({ failure: { code } });
      // 10,000 values are allowed, and each takes three looks at most.
      expect(looks.count).toBeLessThan(40_000);
    }
  });

  test("counts the arguments of a call once, and again only those that an interceptor replaces", async () => {
    const args = { id: "a", rows: [1, 2, 3, 4, 5] };
    const looksOf = async (read: (value: unknown) => unknown) => {
      const looks = { count: 0 };
      await read(watched(args, looks));
      return looks.count;
    };
    const count = await looksOf((value) => checkArguments(value));
    const check = await looksOf((value) => tool(() => ({ id: "a" })).input.check(value));
    const pass: Interceptor = (one, next) => next(one);
    const replace: Interceptor = (one, next) => next({ ...one, args: { ...(one.args as object) } });
    const dispatched = (interceptors: Interceptor[], isCounted = false) =>
      looksOf((value) => dispatcher(undefined, interceptors).dispatch({ name: "thing_get", args: value, isCounted }));
    expect(await dispatched([])).toBe(check + count);
    expect(await dispatched([pass, pass])).toBe(check + count);
    expect(await dispatched([pass, replace, pass])).toBeGreaterThan(check + count);
    expect(await dispatched([], true)).toBe(check);
  });

  test("refuses too many values in arguments that an interceptor replaces", async () => {
    const fill: Interceptor = (one, next) => next({ ...one, args: { id: "a", rows: Array.from({ length: 10_001 }) } });
    expect(await dispatcher(undefined, [fill]).dispatch(call)).toMatchObject({ failure: { code: "too_large" } });
  });

  test("passes a tool its caller's access to other tools", async () => {
    const things: ReturnType<typeof dispatcher> = dispatcher(async (_, { access }) => {
      const inner = await access?.dispatch({ name: "thing_else" });
      const found = await access?.resolve("get_thing");
      return { id: `${inner?.ok} ${found && "tool" in found && found.tool.name}` };
    });
    expect(await things.dispatch(call)).toMatchObject({ text: "thing false thing_get" });
  });

  test("accepts arguments 200 levels deep, and refuses deeper ones with the limit before any interceptor", async () => {
    const nested = (levels: number) =>
      JSON.parse(`{"id":"a","more":${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}}`) as unknown;
    const seen: unknown[] = [];
    const things = dispatcher(undefined, [(one, next) => (seen.push(one.args), next(one))]);
    for (const levels of [201, 10_000, 200_000]) {
      expect(await things.dispatch({ name: "thing_get", args: nested(levels) })).toEqual({
        ok: false,
        isRefused: true,
        failure: {
          code: "invalid_input",
          message: "args: objects and arrays are nested more than 200 levels deep",
          hint: "Send arguments of at most 200 levels.",
        },
      });
    }
    expect(seen).toEqual([]);
    expect(await things.dispatch({ name: "thing_get", args: nested(200) })).toMatchObject({
      failure: { message: expect.stringContaining("more: unknown field") },
    });
  });

  test("calls a tool by a deprecated name and reports the new one", async () => {
    const things = dispatcher();
    expect(await things.dispatch({ ...call, name: "get_thing" })).toMatchObject({
      ok: true,
      notice: "get_thing is now thing_get; call that.",
    });
    expect(await things.dispatch(call)).not.toHaveProperty("notice");
  });

  test("waits in idle for every call that is running", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const things = dispatcher(async ({ id }) => {
      await gate;
      return { id };
    });
    await things.idle();
    const order: string[] = [];
    const answer = things.dispatch(call).then(() => order.push("answered"));
    const idled = things.idle().then(() => order.push("idle"));
    release();
    await Promise.all([answer, idled]);
    expect(order).toEqual(["answered", "idle"]);
  });
});

describe("interceptors", () => {
  test("run around the call, outermost first, and can change the call and its outcome", async () => {
    const order: string[] = [];
    const named =
      (name: string): Interceptor =>
      async (request, next) => {
        order.push(`${name} before`);
        const outcome = await next({ ...request, args: { id: `${(request.args as { id: string }).id}${name}` } });
        order.push(`${name} after`);
        return outcome.ok ? { ...outcome, text: `${outcome.text} ${name}` } : outcome;
      };
    const things = dispatcher(undefined, [named("x"), named("y")]);
    expect(await things.dispatch(call)).toMatchObject({ text: "thing axy y x" });
    expect(order).toEqual(["x before", "y before", "y after", "x after"]);
  });

  test("can answer without calling the handler", async () => {
    const refuse: Interceptor = async () => ({ ok: false, failure: { code: "denied", message: "not today" } });
    expect(await dispatcher(fail(new Error("unreached")), [refuse]).dispatch(call)).toMatchObject({
      failure: { code: "denied" },
    });
  });

  test("see a failure of the call as an outcome, never as a rejection", async () => {
    const seen: unknown[] = [];
    const watch: Interceptor = async (request, next) => {
      const outcome = await next(request);
      seen.push(outcome);
      return outcome;
    };
    await dispatcher(fail(new Error("bug")), [watch]).dispatch(call);
    expect(seen).toMatchObject([{ ok: false, failure: { code: "internal" } }]);
  });

  test("that throw fail like a handler", async () => {
    const buggy = dispatcher(undefined, [fail(new Error("secret"))]);
    const outcome = await buggy.dispatch(call);
    expect(outcome).toMatchObject({ failure: { code: "internal" } });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(buggy.bugs).toHaveLength(1);
    const limit = fail(new ToolError("unavailable", "too many calls", "Wait a second."));
    expect(await dispatcher(undefined, [limit]).dispatch(call)).toMatchObject({ failure: { code: "unavailable" } });
  });
});

test("a call that is refused before its tool runs says so, and observers see its tool and arguments", async () => {
  let runs = 0;
  const seen: unknown[] = [];
  const observe: CallObserver = async ({ args, context }, run) => {
    const end = await run(context);
    const { entry, outcome } = end;
    seen.push([args, entry?.tool.name, outcome.ok || [outcome.failure.code, outcome.isRefused ?? false]]);
    return end;
  };
  const counting = tool(() => {
    runs += 1;
    throw new ToolError("denied", "not today");
  });
  const pack = definePack({ name: "things", description: "Things.", budget: 9, tools: () => [counting] })();
  const catalog = await createCatalog({ packs: [pack] }).view({ deny: ["thing_get"] });
  const denying = createDispatcher(catalog, { observers: [observe] });
  const { dispatch } = createDispatcher(createCatalog({ packs: [pack] }), { observers: [observe] });
  await denying.dispatch({ name: "thing_get", args: { id: "denied" } });
  await dispatch({ name: "thing_get", args: { id: 1 } });
  const refusal = { code: "conflict", message: "another call is wrong" } as const;
  for (const name of ["thing_get", "unknown"]) await dispatch({ name, args: { id: "a" }, refusal });
  expect(runs).toBe(0);
  await dispatch({ name: "thing_get", args: { id: "b" } });
  expect(runs).toBe(1);
  expect(seen).toEqual([
    [{ id: "denied" }, "thing_get", ["denied", true]],
    [{ id: 1 }, "thing_get", ["invalid_input", true]],
    [{ id: "a" }, "thing_get", ["conflict", true]],
    [{ id: "a" }, undefined, ["conflict", true]],
    [{ id: "b" }, "thing_get", ["denied", false]],
  ]);
});

test("observers run around every call, also of unknown tools and of calls that a tool makes, and may replace the context", async () => {
  const seen: unknown[] = [];
  const ids = new Map<string, string>();
  const nameTrace: CallObserver = ({ name, context }, run) => run({ ...context, trace: { traceparent: `of ${name}` } });
  const record: CallObserver = async ({ id, parent, name, args, context }, run) => {
    ids.set(id, name);
    const end = await run(context);
    const ended = end.outcome.ok || end.outcome.failure.code;
    seen.push([name, args, ids.get(parent ?? ""), end.entry?.tool.name, ended, context.trace?.traceparent]);
    return end;
  };
  const nested = tool(async ({ id }, context) => {
    if (id === "outer") await context.access?.dispatch({ name: "get_thing", args: { id: 1 }, context });
    return { id };
  });
  const pack = definePack({ name: "things", description: "Things.", budget: 9, tools: () => [nested] })();
  const { dispatch } = createDispatcher(createCatalog({ packs: [pack] }), { observers: [nameTrace, record] });
  expect(await dispatch({ name: "thing_get", args: { id: "outer" } })).toMatchObject({ ok: true, text: "thing outer" });
  await dispatch({ name: "no_such_thing" });
  expect(seen).toEqual([
    ["get_thing", { id: 1 }, "thing_get", "thing_get", "invalid_input", "of get_thing"],
    ["thing_get", { id: "outer" }, undefined, "thing_get", true, "of thing_get"],
    ["no_such_thing", {}, undefined, undefined, "not_found", "of no_such_thing"],
  ]);
  expect(ids.size).toBe(3);
});
