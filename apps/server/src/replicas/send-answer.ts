import { ToolError, type Store } from "@toolpacks/core";
import { valueOwner } from "@toolpacks/store";
import { checkAnswer, unknownQuestion, type RemoteAnswer, type RoundResponse } from "@toolpacks/surface";
import type { Log } from "../log.ts";
import { observeHeartbeat } from "./heartbeat.ts";
import { readOutcome, removeQuestion } from "./question-outcome.ts";
import { questionKind, type QuestionRecord } from "./replica-kinds.ts";
import type { ChangeFeed } from "./change-feed.ts";

/** Writes an answer for the process that runs the call, and waits for the outcome. */
export async function sendAnswer(
  answer: RemoteAnswer,
  { store, feed, log }: { readonly store: Store; readonly feed: ChangeFeed; readonly log: Pick<Log, "warn"> },
): Promise<RoundResponse> {
  const { id, call, signal } = answer;
  const { process } = await writeAnswer(store, answer);
  const isAlive = observeHeartbeat(store, process);
  const remove = () =>
    removeQuestion(store, id).catch((error: unknown) => log.warn(`a question could not be removed: ${String(error)}`));
  const outcome = async (): Promise<
    { readonly response: RoundResponse } | { readonly lost: ToolError } | undefined
  > => {
    const record = await store.get(questionKind, id);
    // The other process has removed the question: another answer was first.
    if (record === undefined) throw unknownQuestion();
    if (record.data.status === "done") return { response: await readOutcome(store, record) };
    if (await isAlive()) return undefined;
    return (await giveUp(store, id)) ? { lost: lostCall(call.tool) } : undefined;
  };
  try {
    const ended = await feed.until(outcome, signal);
    if ("lost" in ended) throw ended.lost;
    void remove();
    return ended.response;
  } catch (error) {
    if (signal.aborted) await cancel(store, id).catch(() => {});
    throw error;
  }
}

/**
 * The first of several answers is written.
 *
 * @throws ToolError when the answer is refused
 */
async function writeAnswer(store: Store, { id, call, response }: RemoteAnswer): Promise<QuestionRecord["data"]> {
  if (!isQuestionId(id)) throw unknownQuestion();
  return store.transaction(async (inside) => {
    const data = (await inside.get(questionKind, id))?.data;
    if (data === undefined) throw unknownQuestion();
    checkAnswer(
      { ...data, principal: data.owner },
      { ...call, digest: call.digest, principal: valueOwner(call.principal) },
    );
    if (data.status !== "open" || data.expiresAt < Date.now()) throw unknownQuestion();
    const patch = { status: "answered" as const, response: JSON.stringify(response ?? null) };
    await inside.put(questionKind, patch, { id, patch: true });
    return data;
  });
}

function isQuestionId(text: string): boolean {
  return /^[0-9a-f-]{36}$/.test(text);
}

/** Removes the question of a dead process. False when the process has finished the call meanwhile. */
async function giveUp(store: Store, id: string): Promise<boolean> {
  return store.transaction(async (inside) => {
    const record = await inside.get(questionKind, id);
    if (record?.data.status === "done") return false;
    await inside.delete(questionKind, id);
    return true;
  });
}

/** Tells the process that runs the call that the client has left. */
async function cancel(store: Store, id: string): Promise<void> {
  await store.transaction(async (inside) => {
    const record = await inside.get(questionKind, id);
    if (record === undefined) return;
    if (record.data.status === "done") await inside.delete(questionKind, id);
    else await inside.put(questionKind, { status: "cancelled" }, { id, patch: true });
  });
}

function lostCall(name: string): ToolError {
  return new ToolError(
    "unavailable",
    `${name}: the server process that ran this call has ended, and the call with it; it may have had effects`,
    "Check what it has changed, then call it again without requestState.",
  );
}
