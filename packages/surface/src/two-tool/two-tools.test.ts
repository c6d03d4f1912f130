import { defineKind, definePack, defineTool, type Pack } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "../surface.ts";
import { foreignPack, sample, sharedTools, syntheticPack } from "../packs.fixture.ts";
import { wires } from "../wire.fixture.ts";
import { connect, context, scratchStore } from "./connect.fixture.ts";
import { deskPack } from "./desk.fixture.ts";
import type { TwoToolOptions } from "./two-tools.ts";

async function listed(packs: readonly Pack[], options: Partial<TwoToolOptions> = {}) {
  const surface = await createSurface({ packs, surface: "two-tool", twoTool: { ...options, store: scratchStore() } });
  const listing = await surface.listing();
  return JSON.stringify(listing.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

describe.each(Object.entries(wires))("over %s", (_name, wire) => {
  test("two tools are listed, and give access to all others", async () => {
    const { pack, deeds } = deskPack();
    const surface = await createSurface({
      packs: [pack, sample()],
      surface: "two-tool",
      twoTool: { store: scratchStore() },
    });
    const { client } = await wire(surface);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["getTools", "useTools"]);
    expect(tools[0]?.description).toContain("desk: [put,file,wait]\nsample: [read,write,picture,break]");
    expect(tools[0]?.description).toContain("workspaces: default (this project)");
    const calls = [{ pack: "desk", tool: "put", params: { title: "letter" } }];
    const answer = await client.callTool({ name: "useTools", arguments: { context, calls } });
    expect(answer.content).toEqual([
      { type: "text", text: expect.stringMatching(/^session s-[0-9a-f]{10}: 1 succeeded$/) },
      { type: "text", text: "[s1] desk_put: succeeded" },
      { type: "text", text: "paper p1" },
    ]);
    expect(deeds.done).toEqual(["letter"]);
    await client.close();
  });
});

describe("the context", () => {
  test.each(["sessionId", "memory", "goal"])("is refused without %s, which is named", async (field) => {
    const { client } = await connect([sample()]);
    for (const name of ["getTools", "useTools"]) {
      for (const value of [undefined, "", "  "]) {
        const given = { context: { ...context, [field]: value }, request: [{ pack: "sample" }], calls: [] };
        const { content } = await client.callTool({ name, arguments: given });
        expect(JSON.stringify(content[0])).toContain(`context.${field}: `);
      }
    }
  });

  test("is the first field in both schemas", async () => {
    const { client } = await connect([sample()]);
    for (const { inputSchema } of (await client.listTools()).tools) {
      expect(Object.keys(inputSchema.properties ?? {})[0]).toBe("context");
    }
  });

  test("must name an existing workspace, or the error lists the existing ones", async () => {
    const { read } = await connect([sample()], { workspaces: async () => ["default", "garden"] });
    expect(
      await read("getTools", { context: { ...context, workspaceId: "gardn" }, request: [{ pack: "sample" }] }),
    ).toBe(
      'not_found: context.workspaceId: there is no workspace "gardn", did you mean garden?\nWorkspaces: default, garden.',
    );
  });

  test("names a session by name or id; another workspace has its own sessions", async () => {
    const { read } = await connect([sample()], { workspaces: async () => ["default", "garden"] });
    const session = async (over: object) => {
      const text = await read("getTools", { context: { ...context, ...over }, request: [{ pack: "sample" }] });
      return /session (\S+)/.exec(text)?.[1];
    };
    const first = await session({});
    expect(await session({})).toBe(first);
    expect(await session({ sessionId: first })).toBe(first);
    expect(await session({ sessionId: "wednesday" })).not.toBe(first);
    expect(await session({ workspaceId: "garden" })).not.toBe(first);
  });

  test("selects the workspace of each call's records", async () => {
    const { pack, deeds } = deskPack();
    const store = scratchStore();
    const paper = defineKind({ name: "paper", schema: z.object({ title: z.string() }) });
    const records = storePack({ store: store.restrict({ workspaces: "all", calls: "followed" }), kinds: [paper] });
    const { ask } = await connect([pack, records], { store, workspaces: async () => ["default", "garden"] });
    const calls = [
      { pack: "desk", tool: "put", params: { title: "plan" } },
      { pack: "store", tool: "put", params: { kind: "paper", record: { title: "plan" } } },
    ];
    await ask("useTools", { context: { ...context, workspaceId: "garden", constraints: "no ink" }, calls });
    expect(deeds.intents).toEqual([
      {
        workspaceId: "garden",
        sessionId: expect.stringMatching(/^s-/),
        memory: "nothing yet",
        goal: "tidy the desk",
        constraints: "no ink",
      },
    ]);
    expect((await store.in("garden").query(paper)).total).toBe(1);
    expect((await store.query(paper)).total).toBe(0);
  });
});

describe("getTools", () => {
  test("returns one line per tool of a pack", async () => {
    const { read } = await connect([deskPack().pack]);
    expect(await read("getTools", { request: [{ pack: "desk" }] })).toMatchInlineSnapshot(`
      "session s-1ed63094db in workspace default

      desk:
      put(title: string (what is on it), pages?: int=1 (how many)) [mutates] -> tags[]{name}: Put a paper on the desk
      file(id: string (the paper's)) [mutates]: File a paper for a goal
      wait(ms: int (milliseconds)): Wait until it is cancelled, or a moment"
    `);
  });

  test("returns all details of the named tools, without fields that the context sets", async () => {
    const { read } = await connect([deskPack().pack]);
    expect(await read("getTools", { request: [{ pack: "desk", tools: ["file"] }] })).toMatchInlineSnapshot(`
      "session s-1ed63094db in workspace default

      desk:
      file [mutates]: File a paper for a goal.
        id: string - the paper's
      returns filed"
    `);
  });

  test("explains record kinds like a pack's tools", async () => {
    const book = defineKind({
      name: "book",
      description: "Something to read.",
      schema: z.object({ title: z.string() }),
    });
    const library = definePack({ name: "library", description: "Books.", budget: 1, kinds: [book], tools: () => [] });
    const { client, read } = await connect([library(), deskPack().pack]);
    expect((await client.listTools()).tools[0]?.description).toContain("desk: [put,file,wait]\nkinds: [book]");
    const text = await read("getTools", { request: [{ pack: "kinds" }, { pack: "kinds", tools: ["book", "bok"] }] });
    expect(text).toContain("book: Something to read.");
    expect(text).toContain("kind book: Something to read.\n  title: string");
    expect(text).toContain('there is no kind "bok"; nearest: book');
  });

  test("accepts agent for pack, and full names of tools", async () => {
    const { read } = await connect([deskPack().pack]);
    expect(await read("getTools", { request: [{ agent: "desk", tools: ["desk_wait"] }] })).toContain(
      "\nwait: Wait until",
    );
  });

  test("describes known tools, and suggests names near unknown ones", async () => {
    const { read } = await connect([deskPack().pack, sample()]);
    const text = await read("getTools", { request: [{ pack: "dask" }, { pack: "desk", tools: ["put", "pit"] }] });
    expect(text).toContain('no pack is named "dask"; nearest: desk');
    expect(text).toContain("\nput [mutates]: Put a paper");
    expect(text).toContain('pack desk has no tool "pit"; nearest: put');
  });
});

describe("useTools", () => {
  const put = (title: unknown) => ({ pack: "desk", tool: "put", params: { title } });
  const lost = { pack: "desk", tool: "file", params: { id: "lost" } };

  test("checks every call before any runs", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const calls = [put(5), { pack: "desk", tool: "pat", params: {} }];
    const answer = await ask("useTools", { calls });
    expect(deeds.done).toEqual([]);
    expect(answer.isError).toBe(true);
    expect(answer.content.map(({ text }) => text).slice(1)).toEqual([
      "[s1] desk_put: failed: invalid_input: title: expected string, received number\nCall desk_put(title: string, pages?: int)",
      '[s2] desk.pat: failed: not_found: pack desk has no tool "pat"; nearest: put, wait',
    ]);
  });

  test("with one wrong name runs the calls that do not need it", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const wrong = { id: "lost", pack: "desk", tool: "pat" };
    const answer = await ask("useTools", { calls: [put("a"), wrong, put("of ${steps.lost.id}"), put("b")] });
    expect(deeds.done).toEqual(["a", "b"]);
    expect(answer.isError).toBe(true);
    expect(answer.content.map(({ text }) => text).slice(1)).toEqual([
      "[s1] desk_put: succeeded",
      "paper p1",
      '[lost] desk.pat: failed: not_found: pack desk has no tool "pat"; nearest: put, wait',
      "[s3] desk_put: not_run: it needs the result of lost, which has none",
      "[s4] desk_put: succeeded",
      "paper p2",
      "To go on, leave out what succeeded (s1, s4).",
    ]);
  });

  test("in series changes nothing after a failure, unless the call allows it", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const stopped = await ask("useTools", { calls: [put("a"), lost, put("b")] });
    expect(stopped.isError).toBe(true);
    expect(stopped.content.map(({ text }) => text)).toEqual([
      expect.stringMatching(/: 1 succeeded, 1 failed, 1 not_run$/),
      "[s1] desk_put: succeeded",
      "paper p1",
      "[s2] desk_file: failed: not_found: id: no paper lost\nThere is p1.",
      "[s3] desk_put: not_run: s2 failed",
      "To go on, leave out what succeeded (s1).",
    ]);
    const went = await ask("useTools", { calls: [{ ...lost, continueOnFailure: true }, put("c")] });
    expect(went.isError).toBe(true);
    expect(went.content.at(-2)?.text).toBe("paper p2");
    expect(deeds.done).toEqual(["a", "c"]);
  });

  test("passes on an earlier result, validated like any other value", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const calls = [
      put("a"),
      { pack: "desk", tool: "file", params: { id: "${steps.s1.id}" } },
      put("${steps.s1.tags.0.name}"),
      put("${steps.s1.tags[0].name} of $${steps.s1} and ${other}"),
      { ...put("${steps.s1.tags}"), continueOnFailure: true },
      { ...put("${steps.s1.tags[1].name}"), continueOnFailure: true },
    ];
    const { content } = await ask("useTools", { calls });
    const texts = content.map(({ text }) => text);
    expect(deeds.done).toEqual(["a", "filed p1", "A", "A of ${steps.s1} and ${other}"]);
    expect(texts).toContain('{"filed":"p1 for tidy the desk in default"}');
    expect(texts.at(-3)).toContain("[s5] desk_put: failed: invalid_input: title: expected string");
    expect(texts.at(-2)).toBe(
      '[s6] desk_put: not_run: invalid_input: ${steps.s1.tags[1].name}: steps.s1.tags has no 1: it is a list of 1; its first item is {"name":"A"}',
    );
    expect(texts.at(-1)).toBe("To go on, leave out what succeeded (s1, s2, s3, s4).");
  });

  test.each([
    [{}, "${steps.s2.id}", "${steps.s2}: s2 runs later"],
    [{}, "${steps.s1.id}", "${steps.s1}: this is the call itself"],
    [{}, "${steps.frst.id}", "${steps.frst}: no call has the id frst\nIds: s1, s2."],
    [{ strategy: "parallel" }, "${steps.s2.id}", "cannot use each other's results"],
    [{}, "${steps.s2.}", "title: expected a path such as ${steps.s1.items[0].id}, received ${steps.s2.}"],
    [{}, "${size(steps.s1.tags)}", "A script computes: workflow_eval {code}."],
  ])("refuses a wrong reference before anything runs: %j %s", async (more, title, problem) => {
    const { pack, deeds } = deskPack();
    const { read } = await connect([pack]);
    const text = await read("useTools", { calls: [put(title), put(5)], ...more });
    expect(text).toContain(problem);
    expect(deeds.done).toEqual([]);
  });

  test.each(["${steps.s1.idd}", "${steps.s1.tags[0].nam}"])(
    "refuses a field that the result's schema has not: %s",
    async (title) => {
      const { pack, deeds } = deskPack();
      const { read } = await connect([pack]);
      const text = await read("useTools", { calls: [put("a"), put(title)] });
      expect(text).toMatch(/title: .*steps\.s1\S* has no field \w+; nearest: (id|name)/);
      expect(deeds.done).toEqual(["a"]);
    },
  );

  test("in parallel runs a limited number at once, and returns results in the order of the calls", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack], { parallel: 3 });
    const wait = (ms: number) => ({ pack: "desk", tool: "wait", params: { ms } });
    const { content } = await ask("useTools", { strategy: "parallel", calls: [60, 50, 40, 30, 20, 10].map(wait) });
    expect(content.filter((_, at) => at > 0 && at % 2 === 0).map(({ text }) => text)).toEqual(
      [60, 50, 40, 30, 20, 10].map((waited) => JSON.stringify({ waited })),
    );
    expect(deeds.maxWaiting).toBe(3);
  });

  test("names a tool that only a client can call", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const { content } = await ask("useTools", { calls: [{ pack: "core", tool: "getTools", params: {} }, put("a")] });
    expect(content.map(({ text }) => text)).toContain(
      "[s1] core.getTools: failed: invalid_input: call getTools directly, not inside calls",
    );
    expect(deeds.done).toEqual(["a"]);
  });

  test("in parallel stops a call at its timeout", async () => {
    const { pack } = deskPack();
    const { ask } = await connect([pack], { callTimeout: 50 });
    const calls = [{ pack: "desk", tool: "wait", params: { ms: 30_000 } }, put("a")];
    const { content, isError } = await ask("useTools", { strategy: "parallel", calls });
    // The call changes nothing, and the other one succeeded.
    expect(isError).not.toBe(true);
    expect(content.map(({ text }) => text).slice(1)).toEqual([
      "[s1] desk_wait: failed: unavailable: it took longer than 50 ms and was stopped",
      "[s2] desk_put: succeeded",
      "paper p1",
    ]);
  });

  test("answers a retried operation as before without running it, also in another process", async () => {
    const { pack, deeds } = deskPack();
    const store = scratchStore();
    const args = { calls: [put("a"), lost], operationId: "o1" };
    const first = await (await connect([pack], { store })).ask("useTools", args);
    const again = await (await connect([pack], { store })).ask("useTools", args);
    expect(again).toEqual(first);
    expect(deeds.done).toEqual(["a"]);
    const { read } = await connect([pack], { store });
    expect(await read("useTools", { ...args, calls: [put("b")] })).toBe(
      "conflict: operationId: another batch of this session has it\nChoose a new one.",
    );
  });

  test("leaves out a result with show: false, also in the answer to a retry", async () => {
    const { pack } = deskPack();
    const { ask } = await connect([pack]);
    const args = { calls: [{ ...put("a"), show: false }, put("b")], operationId: "o1" };
    const { content } = await ask("useTools", args);
    expect(content.map(({ text }) => text).slice(1)).toEqual([
      expect.stringMatching(/^\[s1\] desk_put: succeeded, \d+ characters, 1 item$/),
      "[s2] desk_put: succeeded",
      "paper p2",
      '"show": true on a call shows what is left out.',
    ]);
    expect((await ask("useTools", args)).content).toEqual(content);
  });

  test("answers a retry of a cancelled batch with the finished calls", async () => {
    const { pack, deeds } = deskPack();
    const { ask } = await connect([pack]);
    const cancel = new AbortController();
    const args = {
      operationId: "o1",
      calls: [put("a"), { pack: "desk", tool: "wait", params: { ms: 30_000 } }, put("b")],
    };
    const cancelled = ask("useTools", args, cancel.signal);
    await expect.poll(() => deeds.waiting).toBe(1);
    cancel.abort();
    await expect(cancelled).rejects.toThrow();
    await expect
      .poll(async () => (await ask("useTools", args)).content.map(({ text }) => text).slice(1))
      .toEqual([
        "[s1] desk_put: succeeded",
        "paper p1",
        "[s2] desk_wait: failed: cancelled: desk: wait was cancelled",
        "[s3] desk_put: not_run: the batch was cancelled",
        "To go on, leave out what succeeded (s1).",
      ]);
    expect(deeds.done).toEqual(["a"]);
  });
});

describe("mounting is refused for", () => {
  const clash = definePack({
    name: "clash",
    description: "A parameter of the context's name.",
    budget: 100,
    tools: () => [
      defineTool({
        name: "clash_aim",
        description: "Aim.",
        mutates: false,
        input: z.object({ goal: z.string().max(10).describe("where") }),
        output: z.object({}),
        handler: () => ({}),
      }),
    ],
  });

  test("a tool with a parameter that the context carries and that it does not declare", async () => {
    await expect(connect([clash()])).rejects.toThrow("tool clash_aim: its parameter goal has the name");
  });

  test("facets beside the two tools", async () => {
    const twoTool = { store: scratchStore() };
    await expect(
      createSurface({ packs: [sample()], surface: "two-tool", twoTool, expose: ["sample"] }),
    ).rejects.toThrow("expose: the two-tool surface lists nothing else");
  });
});

describe("the list", () => {
  const count = (text: string) => encode(text).length;

  test("takes at most 600 tokens with 40 tools of 4 packs", async () => {
    const packs = ["red", "green", "blue", "gold"].map((name) => syntheticPack(10, name));
    expect(count(await listed(packs))).toBeLessThanOrEqual(600);
  });

  test("takes at most 600 tokens with many workspaces, or long names", async () => {
    const packs = ["red", "green", "blue", "gold"].map((name) => syntheticPack(10, name));
    const many = Array.from({ length: 40 }, (_, at) => `customer-project-${at}-${"x".repeat(at)}`);
    for (const names of [many, [...many].reverse()]) {
      const list = await listed(packs, { workspaces: async () => ["default", ...names] });
      expect(count(list)).toBeLessThanOrEqual(600);
      expect(list).toContain("workspaces: default (this project),");
    }
  });

  test("grows by at most 15 tokens with each further pack", async () => {
    const packs = (many: number) => Array.from({ length: many }, (_, at) => syntheticPack(20, `pack${at}`));
    const sizes = await Promise.all(
      [4, 5, 10, 20, 40, 80].map(async (many) => [many, count(await listed(packs(many)))] as const),
    );
    for (const [many, size] of sizes) expect(size).toBeLessThanOrEqual(600 + 15 * Math.max(0, many - 4));
  });

  const github = sharedTools("github-tools.json");
  test.skipIf(github === undefined)(
    "takes at most 600 tokens with 117 real tools of another server beside it",
    async () => {
      expect(count(await listed([foreignPack("github", github ?? []), deskPack().pack]))).toBeLessThanOrEqual(600);
    },
  );
});
