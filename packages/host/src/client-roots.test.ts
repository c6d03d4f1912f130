import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { RequestedRoots, type AskableServer } from "./client-roots.ts";

test("notifications about roots that the client never sends use no memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const server: AskableServer = {
    getClientCapabilities: () => ({ roots: {} }),
    request: (_request, _schema, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cancelled")))),
  };
  const roots = new RequestedRoots(
    server,
    async () => {},
    () => {},
  );
  const announce = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      roots.refresh();
      if (at % 100 === 0) await new Promise(setImmediate);
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await announce(1_000);
  expect((await announce(20_000)) - before).toBeLessThan(5_000_000);
});
