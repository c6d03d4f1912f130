import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "./command.fixture.ts";
import { startHttp } from "./http-server.fixture.ts";
import { connectOverHttp } from "./mixed-load.fixture.ts";

/** Calls a tool as a model does, and returns the text that the model reads. */
async function ask(client: Client, name: string, args: object): Promise<string> {
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name, args } });
  return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
}

/** Works on issues until none is ready. Returns their ids and the last answer. */
async function workThrough(client: Client) {
  const unnamed = await ask(client, "issue_claim", {});
  const [, actor = ""] = /Such as "(\S+)", the same in all your calls/.exec(unnamed) ?? [];
  const done: string[] = [];
  for (;;) {
    const claimed = await ask(client, "issue_claim", { actor });
    const [, id] = /^(q-\d+) .* in_progress: /.exec(claimed) ?? [];
    if (id === undefined) return { actor, done, last: claimed };
    await ask(client, "issue_close", { ids: [id], reason: "done" });
    done.push(id);
  }
}

test("two agents that know nothing of each other work through one queue, and take over the issue of a third that is killed", async () => {
  const store = path.join(folder(), "store.db");
  const start = async () => {
    const server = await startHttp(["--store", store, "--workspace", "queue", "--log-level", "info"]);
    onTestFinished(() => server.kill());
    return { server, client: await connectOverHttp(server.url, undefined, "modern") };
  };
  const [ann, bob, cy] = await Promise.all([start(), start(), start()]);
  const issues = Array.from({ length: 12 }, (_, at) => ({
    id: `q-${at}`,
    title: `task ${at}`,
    // The first issue holds back two others.
    depends: at === 10 ? ["q-0"] : at === 11 ? ["q-10", "q-5"] : [],
    priority: at === 0 ? 0 : 2,
  }));
  await ask(cy.client, "issue_create", { issues });
  expect(await ask(cy.client, "issue_claim", { actor: "cy" })).toMatch(/^q-0 .*@cy/);
  await cy.server.kill();

  const ended = await Promise.all([workThrough(ann.client), workThrough(bob.client)]);
  expect(new Set(ended.map(({ actor }) => actor)).size).toBe(2);
  const free = Array.from({ length: 9 }, (_, at) => `q-${at + 1}`);
  expect(ended.flatMap(({ done }) => done).toSorted()).toEqual(free);
  for (const { last } of ended) expect(last).toMatch(/^not_found: no issue is ready; q-\d+ is claimed by/);
  expect(ended.map(({ last }) => last).join("\n")).toMatch(/q-0 is claimed by cy until 20\S+Z/);

  // As an hour later.
  await ask(ann.client, "store_put", {
    kind: "issue",
    id: "q-0",
    patch: true,
    record: { lease_until: "2026-01-01T00:00:00Z" },
  });
  const later = await Promise.all([workThrough(ann.client), workThrough(bob.client)]);
  expect(later.flatMap(({ done }) => done).toSorted()).toEqual(["q-0", "q-10", "q-11"]);
  expect(await ask(bob.client, "issue_list", {})).toMatch(/^none/);
});
