import { createHash } from "node:crypto";
import { defineKind, ToolError, type Store, type Stored } from "@toolpacks/core";
import { removeOld, type Retention } from "@toolpacks/core/store";
import { z } from "zod";
import type { CallResult } from "./call-result.ts";

/** What a batch answered, kept for whoever retries it. */
export const batchKind = defineKind({
  name: "batch",
  description: "What a batch of calls answered, for a retry with the same operationId.",
  schema: z.object({
    request: z.string().describe("tells one batch from another"),
    at: z.iso.datetime().describe("when it began"),
    results: z.array(z.looseObject({})).optional().describe("absent while it runs"),
  }),
  indexes: ["at"],
});

interface Batch {
  readonly retention: Retention;
  readonly operationId: string | undefined;
  readonly session: string;
  readonly calls: unknown;
  readonly strategy: string;
}

/** What a batch answers. */
export interface Answered {
  readonly results: readonly CallResult[];
  /** Why a retry will not get the same answer. */
  readonly notice?: string;
}

/**
 * Runs a batch, or answers as it did before under the same operationId in the session.
 *
 * @throws ToolError `conflict` when the id belongs to another batch, or to one that has not ended
 */
export async function answerOnce(
  store: Store,
  { operationId, session, calls, strategy, retention }: Batch,
  run: () => Promise<readonly CallResult[]>,
): Promise<Answered> {
  if (operationId === undefined) return { results: await run() };
  const request = createHash("sha256")
    .update(JSON.stringify([calls, strategy]))
    .digest("hex");
  const id = `${session}:${createHash("sha256").update(operationId).digest("hex").slice(0, 32)}`;
  const at = new Date().toISOString();
  const begun = await begin(store, id, { request, at });
  if (begun !== undefined) return { results: earlierAnswer(begun.data, request) };
  const results = await run();
  try {
    await store.put(batchKind, { request, at, results: results.map((result) => ({ ...result })) }, { id });
  } catch (error) {
    // The calls have run: what they did is answered in any case.
    const reason = ToolError.is(error) ? `${error.code}: ${error.message}` : "internal: the store failed";
    const notice = `These results could not be kept (${reason}). Do not retry: a retry with this operationId is refused, and not recognized as answered.`;
    return { results, notice };
  }
  // Nobody waits for it, and what cannot be removed now will be after another batch.
  void removeOld(store, batchKind, { ...retention, time: "at" }).catch(() => {});
  return { results };
}

/** Claims the id for this batch; the earlier one when it is taken. */
async function begin(
  store: Store,
  id: string,
  batch: Pick<BatchData, "request" | "at">,
): Promise<Stored<BatchData> | undefined> {
  return store.transaction(async (inside) => {
    const earlier = await inside.get(batchKind, id);
    if (earlier === undefined) await inside.put(batchKind, batch, { id });
    return earlier;
  });
}

type BatchData = z.output<typeof batchKind.schema>;

function earlierAnswer({ request, results }: BatchData, wanted: string): readonly CallResult[] {
  if (request !== wanted) {
    throw new ToolError("conflict", "operationId: another batch of this session has it", "Choose a new one.");
  }
  if (results === undefined) {
    const hint = "Look at what it was to change before you send it again under a new operationId.";
    throw new ToolError(
      "conflict",
      "operationId: this batch is running, was broken off by a crash, or its results could not be kept",
      hint,
    );
  }
  return results as unknown as readonly CallResult[];
}
