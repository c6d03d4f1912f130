import { Worker } from "node:worker_threads";

/** Texts for the model. */
export interface Work {
  readonly id: number;
  readonly texts: readonly string[];
}

/** Their vectors, or why there are none. */
export type Response =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  | { readonly id: number; readonly problem: string };

interface Waiting {
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs the model in a thread, which starts at the first text and keeps the process alive only while it works.
 *
 * @returns a function that makes the unit vectors of texts, in their order. It rejects if the model cannot be loaded.
 */
export function createModelThread(): (texts: readonly string[]) => Promise<readonly Float32Array[]> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let last = 0;

  function start(): Worker {
    const started = new Worker(
      new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url),
      { stdout: true },
    );
    const end = (error: Error) => {
      worker = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on("message", (response: Response) => {
      const one = waiting.get(response.id);
      waiting.delete(response.id);
      if (waiting.size === 0) started.unref();
      if ("vectors" in response) one?.resolve(response.vectors);
      else one?.reject(new Error(response.problem));
    });
    started.on("error", end);
    started.on("exit", (code) => end(new Error(`the model's thread ended with code ${code}`)));
    return started;
  }

  return (texts) =>
    new Promise((resolve, reject) => {
      worker ??= start();
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.ref();
      worker.postMessage({ id: last, texts } satisfies Work);
    });
}
