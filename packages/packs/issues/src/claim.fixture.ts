import type { OwnedStore } from "@toolpacks/core";
import type { ClaimBy } from "./contention.fixture.ts";
import { converse, everyItem } from "./conversation.fixture.ts";

/** Claims issues, and yields a line for each attempt. */
export async function* claimAs(store: OwnedStore, actor: string, by: ClaimBy): AsyncGenerator<string> {
  const conversation = converse(store);
  if (by === "id") {
    for (const { id } of await everyItem(conversation, "issue_list", { sort: "created" })) {
      const outcome = await conversation.call("issue_claim", { id, actor });
      yield outcome.ok ? `claimed ${id}` : `failed ${outcome.failure.code} ${outcome.failure.message}`;
    }
    return;
  }
  for (;;) {
    const outcome = await conversation.call("issue_claim", { actor });
    if (outcome.ok) {
      const { issue } = outcome.value as { issue: { id: string } };
      yield `claimed ${issue.id}`;
    } else if (outcome.failure.code === "not_found") return;
    else {
      yield `failed ${outcome.failure.code}`;
      if (outcome.failure.code !== "conflict") return;
    }
  }
}
