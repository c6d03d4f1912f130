import { createHash } from "node:crypto";
import { defineKind, ToolError, type Store, type Stored } from "@toolpacks/core";
import { removeOld, type Retention } from "@toolpacks/store";
import { z } from "zod";
import type { ShownResult } from "../batch/shown-results.ts";

/** The results of a batch, kept for retries. */
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
  readonly principal: string;
  readonly calls: unknown;
  readonly strategy: string;
}

/** The result of a batch. */
export interface Answered {
  readonly results: readonly ShownResult[];
  /** Why a retry will not get the same results. */
  readonly notice?: string;
}

/**
 * Runs a batch, or returns its earlier results when the principal has run it in this session under the same operationId.
 *
 * @throws ToolError `conflict` when another batch has the id, or the batch has not ended
 */
export async function answerOnce(
  store: Store,
  { operationId, session, principal, calls, strategy, retention }: Batch,
  run: () => Promise<readonly ShownResult[]>,
): Promise<Answered> {
  if (operationId === undefined) return { results: await run() };
  const request = createHash("sha256")
    .update(JSON.stringify([calls, strategy]))
    .digest("hex");
  // Another principal may choose the same session and operationId.
  const key = principal === "" ? operationId : JSON.stringify([principal, operationId]);
  const id = `${session}:${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
  const at = new Date().toISOString();
  const begun = await begin(store, id, { request, at });
  if (begun !== undefined) return { results: earlierAnswer(begun.data, request) };
  const results = await run();
  try {
    await store.put(batchKind, { request, at, results: results.map((result) => ({ ...result })) }, { id });
  } catch (error) {
    // The calls have run, so their results are returned in any case.
    const reason = ToolError.is(error) ? `${error.code}: ${error.message}` : "internal: the store failed";
    const notice = `These results could not be kept (${reason}). Do not retry: a retry with this operationId is refused, and not recognized as answered.`;
    return { results, notice };
  }
  // Not awaited. The removal after the next batch tries again.
  void removeOld(store, batchKind, { ...retention, time: "at" }).catch(() => {});
  return { results };
}

/** Claims the id for this batch. Resolves to the earlier batch when the id is taken. */
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

function earlierAnswer({ request, results }: BatchData, wanted: string): readonly ShownResult[] {
  if (request !== wanted)
    throw new ToolError("conflict", "operationId: another batch of this session has it", "Choose a new one.");
  if (results === undefined) {
    const hint = "Check what the call was to change before you send it again with a new operationId.";
    throw new ToolError(
      "conflict",
      "operationId: this batch is running, was broken off by a crash, or its results could not be kept",
      hint,
    );
  }
  return results as unknown as readonly ShownResult[];
}
