import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { call as toolCall } from "@toolpacks/host/fixture";
import { openSite, readAnswer, type CallerName, type Site, type ToolAnswer } from "./http-security.process.fixture.ts";

const settings = { config: { surface: "two-tool", results: "structured" } };
const sites = [await openSite("a token file", settings)];
afterAll(() => Promise.all(sites.map((site) => site.close())));

/** Number of requests of each principal. The campaign sends more. */
const requests = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 200 : 1_000;
const inFlight = 8;

/** A principal at work. */
interface Worker {
  readonly name: CallerName;
  readonly site: Site;
  /** The ids that the principal got, except those of shared records. */
  readonly ids: Set<string>;
  /** Every word of every answer. */
  readonly words: Set<string>;
  /** Ids of requests that got another answer. */
  readonly wrongIds: string[];
  /** Errors that no request of this test should get, such as refusals by a limit. */
  readonly unexpected: string[];
  /** Whether an answer contained a text that the other principal had sent. */
  hasForeignText: boolean;
  /** Ids of the last report, failed run, handle and page, for later requests. */
  readonly last: { report?: string; failed?: string; handle?: string; cursor?: string };
}

interface Call {
  readonly pack: string;
  readonly tool: string;
  readonly params: object;
}

const call = (pack: string, tool: string, params: object = {}): Call => ({ pack, tool, params });

type Request = (worker: Worker, number: number) => Call;

/** Requests whose records all principals of a workspace share. */
const shared: readonly Request[] = [
  (_, number) => call("issues", "issue_create", { issues: [{ title: `Issue ${number}` }] }),
  () => call("issues", "issue_list", { limit: 3 }),
  () => call("issues", "issue_claim"),
  (_, number) => call("memory", "memory_remember", { text: `Fact ${number} is known.`, entity: `thing ${number % 9}` }),
  () => call("memory", "memory_recall", { query: "known fact" }),
  (_, number) => call("store", "store_put", { kind: "note", record: { text: "note" }, operationId: `put-${number}` }),
];

/** Requests that leave something, or show what calls have left. */
const own: readonly Request[] = [
  () => call("store", "store_query", { kind: "trace", limit: 5, sort: ["-at"] }),
  () => call("store", "store_query", { kind: "report", limit: 5, fields: ["*"], sort: ["-started"] }),
  () => call("memory", "trace_search", { query: "secret workflow report", limit: 5 }),
  ({ last }) =>
    call("memory", "trace_timeline", { limit: 5, ...(last.cursor !== undefined && { cursor: last.cursor }) }),
  () => call("memory", "workspace_load", { tokens: 20_000 }),
  ({ name }) =>
    call("workflows", "workflow_eval", { steps: [{ id: "keep", step: "value", params: { text: `secret-${name}` } }] }),
  ({ name }) =>
    call("workflows", "workflow_eval", {
      steps: [
        { id: "keep", step: "value", params: { text: `secret-${name}` } },
        { id: "fail", tool: "fs_read", params: { path: "missing.txt" } },
      ],
    }),
  ({ last }) => call("workflows", "workflow_report", last.report === undefined ? {} : { report: last.report }),
  ({ last }) =>
    call("workflows", "workflow_report", last.failed === undefined ? {} : { report: last.failed, step: "keep" }),
  ({ last }) => call("workflows", "workflow_run", { resume: last.failed ?? "none" }),
  ({ name }) => call("filesystem", "fs_read", { path: `${name}.txt` }),
  ({ last }) => call("relay", "relay_read", { handle: last.handle ?? `relay://${"a".repeat(20)}` }),
];

/** The result of a call, if it is a list. */
interface Result {
  readonly value?: { readonly items?: readonly { readonly id: string }[]; readonly cursor?: string };
}

async function runRequest(worker: Worker, number: number): Promise<void> {
  const { site, name } = worker;
  const context = { sessionId: `session ${number % 5}`, memory: `secret-${name}`, goal: `secret-${name}` };
  if (number % 20 === 0) {
    note(worker, await available(() => site.call(name, "getTools", { context, request: [{ pack: "issues" }] })));
    return;
  }
  const kind = number % 3 === 0 ? shared : own;
  const request = kind[Math.floor(number / 3) % kind.length] ?? (() => call("issues", "issue_list"));
  const isOnce = number % 7 === 0;
  const batch = {
    context,
    calls: [request(worker, number)],
    ...(isOnce && { operationId: `batch-${number}` }),
  };
  const id = `${name} ${number}`;
  const answer = await available(async () => readAnswer(await site.send(name, toolCall("useTools", batch, id))));
  if (!answer.whole.includes(`"id":${JSON.stringify(id)}`)) worker.wrongIds.push(id);
  note(worker, answer);
  if (isOnce) note(worker, await available(() => site.call(name, "useTools", batch)));
  const [result] = (answer.value["results"] ?? []) as readonly Result[];
  if (kind === own) for (const { id } of result?.value?.items ?? []) worker.ids.add(id);
  const cursor = result?.value?.cursor;
  if (kind === own && cursor !== undefined) worker.ids.add(cursor);
  if (batch.calls[0]?.tool !== "trace_timeline") return;
  if (cursor === undefined) delete worker.last.cursor;
  else worker.last.cursor = cursor;
}

/** Sends a request again while the server is unavailable, as it asks its clients to. A test machine can stop for seconds. */
async function available(send: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send();
    const isUnavailable = [408, 503].includes(answer.status) || /\bunavailable: /.test(answer.text);
    if (!isUnavailable || attempt === 20) return answer;
    await delay(500);
  }
}

const otherOf = (name: string) => (name === "ann" ? "ben" : "ann");

/** Errors that this test expects: some requests name a missing record, and some are sent twice. */
const expectedErrors = /\b(?:not_found|conflict): /;

function note(worker: Worker, { status, whole, text, isError }: ToolAnswer): void {
  const { ids, words, last, name } = worker;
  if (isError && !expectedErrors.test(text)) worker.unexpected.push(`${status}: ${whole.slice(0, 300)}`);
  const found = (pattern: RegExp) => [...whole.matchAll(pattern)].map(([, id = ""]) => id);
  const reports = found(/\breport\W{1,6}([0-9a-z]{16})\b/g);
  const handles = found(/relay:\/\/([a-z2-7]{20})/g).filter((id) => id !== "a".repeat(20));
  for (const id of [...reports, ...handles, ...found(/\b(s-[0-9a-f]{10})\b/g)]) ids.add(id);
  for (const [word] of whole.matchAll(/[\w-]+/g)) words.add(word);
  worker.hasForeignText ||= whole.includes(`secret-${otherOf(name)}`) || whole.includes(`text of ${otherOf(name)}`);
  if (reports[0] !== undefined) last[isError ? "failed" : "report"] = reports[0];
  if (handles[0] !== undefined) last.handle = `relay://${handles[0]}`;
}

describe.concurrent.each(sites)("with $way,", { timeout: 240_000 }, (site) => {
  test("two principals in parallel never get an id or a text of the other", async () => {
    const names = ["ann", "ben"] as const;
    for (const name of names) writeFileSync(path.join(site.root, `${name}.txt`), `text of ${name}\n`.repeat(4_000));
    const [ann, ben] = names.map((name): Worker => {
      return {
        name,
        site,
        ids: new Set(),
        words: new Set(),
        wrongIds: [],
        unexpected: [],
        hasForeignText: false,
        last: {},
      };
    }) as [Worker, Worker];
    const work = async (worker: Worker) => {
      let next = 0;
      const lane = async () => {
        for (let number = next++; number < requests; number = next++) await runRequest(worker, number);
      };
      await Promise.all(Array.from({ length: inFlight }, lane));
    };
    await Promise.all([work(ann), work(ben)]);
    for (const [worker, other] of [
      [ann, ben],
      [ben, ann],
    ] as const) {
      expect(worker.unexpected).toEqual([]);
      expect(worker.ids.size).toBeGreaterThan(requests / 5);
      expect([...worker.ids].filter((id) => other.words.has(id))).toEqual([]);
      expect(worker.wrongIds).toEqual([]);
      expect(worker.hasForeignText).toBe(false);
      expect([...worker.words].filter((word) => word === `secret-${worker.name}`)).toHaveLength(1);
      expect(worker.last).toMatchObject({
        report: expect.any(String),
        failed: expect.any(String),
        handle: expect.any(String),
      });
    }
    await expectSameErrorForUnknownIds(ann, ben);
  });
});

/** The ids of one principal are as unknown to the other as invented ones. */
async function expectSameErrorForUnknownIds(owner: Worker, other: Worker): Promise<void> {
  const { handle = "", report = "" } = owner.last;
  const errorOf = async (name: CallerName, request: Call) => {
    const context = { sessionId: "unknown", memory: "none", goal: "none" };
    return (await owner.site.call(name, "useTools", { context, calls: [request] })).text;
  };
  const read = (of: string) => call("relay", "relay_read", { handle: of });
  const show = (of: string) => call("workflows", "workflow_report", { report: of });
  const invented = `relay://${"b".repeat(20)}`;
  const unknown = (await errorOf(other.name, read(invented))).replaceAll(invented, handle);
  expect(unknown).toContain("is unknown or has expired");
  expect(await errorOf(other.name, read(handle))).toBe(unknown);
  expect(await errorOf(owner.name, read(handle))).not.toContain("is unknown");
  const missing = await errorOf(other.name, show("0000000000000000"));
  expect(await errorOf(other.name, show(report))).toBe(missing.replaceAll("0000000000000000", report));
  for (const id of [
    "relay://",
    "relay://../x",
    `relay://${"a".repeat(10_000)}`,
    "relay://%00",
    "__proto__",
    handle.toUpperCase(),
  ]) {
    expect(await errorOf(other.name, read(id))).not.toMatch(/internal|text of/);
  }
}
