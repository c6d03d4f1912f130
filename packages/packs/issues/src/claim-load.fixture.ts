// Claims issues and prints each id: `claim-load.fixture.ts <address> <actor> <by>`, where `by` is `queue` or `id`. With `queue`, it claims ready
// issues until there are none. With `id`, all processes claim the same issues in the same order, and print the holder of each.
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { converse, everyItem } from "./conversation.fixture.ts";

const [address = "", actor = "", by = "queue"] = process.argv.slice(2);
// All processes wait for each other's writes, which takes longer than usual on a busy machine.
const store = address.startsWith("postgres:") ? postgres(address, { timeoutMs: 120_000 }) : sqlite(address);
const conversation = converse(store);
const { call } = conversation;

async function claimQueue(): Promise<void> {
  for (;;) {
    const outcome = await call("issue_claim", { actor });
    if (!outcome.ok) {
      if (outcome.failure.code === "not_found") return;
      process.stdout.write(`failed ${outcome.failure.code}\n`);
      if (outcome.failure.code !== "conflict") return;
      continue;
    }
    const { issue } = outcome.value as { issue: { id: string } };
    process.stdout.write(`claimed ${issue.id}\n`);
  }
}

async function claimEach(): Promise<void> {
  for (const { id } of await everyItem(conversation, "issue_list", { sort: "created" })) {
    const outcome = await call("issue_claim", { id, actor });
    if (outcome.ok) process.stdout.write(`claimed ${id}\n`);
    else process.stdout.write(`failed ${outcome.failure.code} ${outcome.failure.message}\n`);
  }
}

await (by === "queue" ? claimQueue() : claimEach());
await store.end();
