import type { Store } from "@toolpacks/core";
import { valueOwner } from "@toolpacks/store";
import type { OpenQuestion, QuestionExchange } from "@toolpacks/surface";
import type { Log } from "../log.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { createHeartbeat } from "./heartbeat.ts";
import { removeQuestion, writeOutcome } from "./question-outcome.ts";
import { questionKind, type QuestionRecord } from "./replica-kinds.ts";
import { sendAnswer } from "./send-answer.ts";

export interface ExchangeOptions {
  /** The id of this process. */
  readonly process: string;
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly log: Pick<Log, "warn">;
}

/** Time after a call continued in which its question is kept if nothing removes it, in ms. */
const runningMs = 86_400_000;

/**
 * Carries questions over the store of the replicas. The process that runs a call writes a record of each question and reads answers to it. It alone decides
 * which answer comes first. The process that gets an answer writes it into the record, and reads the outcome there.
 */
export function createStoreExchange(options: ExchangeOptions): QuestionExchange & { end(): Promise<void> } {
  const { process, store, feed, log } = options;
  const calls = createAskingCalls(options);
  const heartbeat = createHeartbeat(store, process, () => calls.count() > 0);
  const follower = feed.follow(async () => {
    if (calls.count() === 0) return;
    const filter = { process, status: { in: ["answered", "cancelled"] } };
    const { items } = await store.query(questionKind, { filter, limit: 1_000 });
    for (const record of items) {
      if (record.data.status === "answered") await calls.continue(record);
      else await calls.cancel(record.id);
    }
  });
  return {
    async open(question) {
      const { id, call, expiresAt } = question;
      calls.open.set(id, question);
      try {
        await heartbeat.start();
        const owner = valueOwner(call.principal);
        const { tool, digest } = call;
        await store.put(questionKind, { status: "open", owner, tool, digest, process, expiresAt }, { id });
      } catch (error) {
        log.warn(`a question of ${call.tool} can be answered only by this process: ${String(error)}`);
      }
    },
    forget(id) {
      if (calls.open.delete(id)) void calls.remove(id);
    },
    answer: (answer) => sendAnswer(answer, options),
    async end() {
      follower.stop();
      calls.end();
      // Without a heartbeat, answers to the open questions fail at once.
      await heartbeat.stop();
    },
  };
}

/** The calls of this process that have asked, or that continue with an answer from another process. */
function createAskingCalls({ store, log }: Pick<ExchangeOptions, "store" | "log">) {
  const open = new Map<string, OpenQuestion>();
  const running = new Map<string, AbortController>();
  let isEnding = false;
  const remove = async (id: string): Promise<void> => {
    // The records of a process that ends stay, so that answers fail with a reason.
    if (isEnding) return;
    await removeQuestion(store, id).catch((error: unknown) =>
      log.warn(`a question could not be removed: ${String(error)}`),
    );
  };
  return {
    open,
    remove,
    count: () => open.size + running.size,
    async continue(record: QuestionRecord): Promise<void> {
      const { id } = record;
      const question = open.get(id);
      if (question === undefined || !(await claim(store, id))) return;
      open.delete(id);
      const abort = new AbortController();
      const outcome = question.continue(JSON.parse(record.data.response ?? "null"), abort.signal);
      if (outcome === undefined) return remove(id);
      running.set(id, abort);
      void outcome
        .then((response) => (abort.signal.aborted ? remove(id) : writeOutcome(store, record, response)))
        .catch((error: unknown) => log.warn(`the outcome of ${record.data.tool} could not be stored: ${String(error)}`))
        .finally(() => running.delete(id));
    },
    async cancel(id: string): Promise<void> {
      const reason = new Error("the client cancelled the request");
      running.get(id)?.abort(reason);
      void open.get(id)?.continue(undefined, AbortSignal.abort(reason));
      open.delete(id);
      await remove(id);
    },
    end() {
      isEnding = true;
      for (const one of running.values()) one.abort(new Error("the server ends"));
    },
  };
}

/** Takes an answer that another process has written. False when that process has given up, or the client has left. */
async function claim(store: Store, id: string): Promise<boolean> {
  return store.transaction(async (inside) => {
    const record = await inside.get(questionKind, id);
    if (record?.data.status !== "answered") return false;
    await inside.put(questionKind, { status: "running", expiresAt: Date.now() + runningMs }, { id, patch: true });
    return true;
  });
}
