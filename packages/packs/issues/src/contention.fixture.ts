import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { converse, everyItem } from "./conversation.fixture.ts";
import { databases, type TestDatabase } from "./stores.fixture.ts";

/** How a claimer chooses: ready issues until there are none, or all issues in the same order. */
export type ClaimBy = "queue" | "id";

/** What a claimer printed: `claimed <id>`, or `failed <code> <message>`. */
interface Claimed {
  readonly actor: string;
  readonly lines: readonly string[];
}

interface Contention {
  readonly claimers: number;
  readonly queueLength: number;
  /** Lets claimers claim at the same time. */
  readonly contend: (database: TestDatabase, claimers: number, by: ClaimBy) => Promise<readonly Claimed[]>;
}

/** Opens the store, and creates these many issues in it. */
async function fill(database: TestDatabase, count: number) {
  const store = database.open();
  const { value } = converse(store);
  for (let left = count; left > 0; left -= 100) {
    const issues = Array.from({ length: Math.min(100, left) }, (_, at) => ({
      title: `task ${at}`,
      priority: at % 5,
    }));
    await value("issue_create", { issues });
  }
  return store;
}

/** Tests that each issue is claimed once, on each database. */
export function testContention({ claimers, queueLength, contend }: Contention): void {
  describe.each(Object.keys(databases))("on %s", (name) => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = (await databases[name]?.()) as TestDatabase;
    });
    afterAll(() => database.remove());

    test("several claimers empty one queue: each issue is claimed once, and none is lost", async () => {
      const store = await fill(database, queueLength);
      const outputs = await contend(database, claimers, "queue");
      expect(
        outputs.flatMap(({ lines }) => lines).filter((line) => !/^(claimed |failed conflict$)/.test(line)),
      ).toEqual([]);
      const owners = new Map<string, string>();
      for (const { actor, lines } of outputs) {
        for (const line of lines.filter((one) => one.startsWith("claimed "))) {
          const id = line.slice("claimed ".length);
          expect([id, owners.get(id)]).toEqual([id, undefined]);
          owners.set(id, actor);
        }
      }
      expect(owners.size).toBe(queueLength);
      const listed = await everyItem(converse(store), "issue_list", { where: { status: "in_progress" } });
      const held = listed as readonly { id: string; assignee: string }[];
      expect(new Map(held.map(({ id, assignee }) => [id, assignee]))).toEqual(owners);
      for (const { id } of listed) await converse(store).value("issue_close", { ids: [id] });
      await store.end();
    }, 240_000);

    test("one of several claimers gets an issue, and the others' errors name the holder", async () => {
      const store = await fill(database, 20);
      const outputs = await contend(database, claimers / 2, "id");
      const winners = new Map<string, string>();
      for (const { actor, lines } of outputs) {
        for (const line of lines) if (line.startsWith("claimed ")) winners.set(line.slice("claimed ".length), actor);
      }
      expect(winners.size).toBe(20);
      const all = outputs.flatMap(({ lines }) => lines);
      expect(all.filter((line) => line.startsWith("claimed "))).toHaveLength(20);
      // A claimer that starts late lists fewer open issues, and claims only these.
      for (const line of all.filter((one) => one.startsWith("failed "))) {
        const [, id = "", who] = /^failed conflict (\S+): claimed by (\S+) until 2/.exec(line) ?? [];
        expect([line, who]).toEqual([line, winners.get(id)]);
      }
      await store.end();
    }, 240_000);
  });
}
