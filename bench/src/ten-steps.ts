// `node bench/src/ten-steps.ts`: ten calls that do nothing, one after the other by a client, and as the steps of one call.
// After a build.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { connect, percentile } from "./connection.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const steps = Array.from({ length: 10 }, () => ({ tool: "noop" }));

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** The ways to run ten no-ops, as calls of a model. */
const ways: Readonly<Record<string, readonly Call[]>> = {
  "ten calls": steps.map(() => ({ name: "tool_invoke", arguments: { name: "noop" } })),
  "workflow_eval by name": [{ name: "workflow_eval", arguments: { name: "ten" } }],
  "workflow_eval with steps": [{ name: "workflow_eval", arguments: { steps } }],
};

/** The text that a model writes and reads for these calls, without the client's framing. */
async function tokens(client: Client, calls: readonly Call[]): Promise<number> {
  let sum = 0;
  for (const call of calls) {
    const { content, isError } = await client.callTool(call);
    if (isError === true) throw new Error(JSON.stringify(content));
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    sum += encode(JSON.stringify(call)).length + encode(text).length;
  }
  return sum;
}

const server = here("../../apps/server/dist/cli.js");
const rounds = 600;
/** Ten calls are ten times as many as one, and would be as much further on the way to being fast. */
const warmUp = 100;

async function measure(store: string): Promise<readonly object[]> {
  const args = [server, "--config", here("./ten-steps.config.json"), "--store", store, "--log-level", "silent"];
  const client = await connect(args);
  const times: Record<string, number[]> = {};
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [way, calls] of Object.entries(ways)) {
      const started = performance.now();
      for (const call of calls) await client.callTool(call);
      if (round >= 0) (times[way] ??= []).push(performance.now() - started);
    }
  }
  const measured = await Promise.all(
    Object.entries(ways).map(async ([way, calls]) => ({
      way,
      ms: percentile(times[way] ?? [], 0.5),
      mean: (times[way] ?? []).reduce((sum, one) => sum + one, 0) / rounds,
      tokens: await tokens(client, calls),
    })),
  );
  await client.close();
  const [base] = measured;
  return measured.map(({ way, ms, mean, tokens }) => ({
    way,
    "p50 ms": ms.toFixed(2),
    "of ten calls": (ms / (base?.ms ?? 1)).toFixed(2),
    "mean ms": mean.toFixed(2),
    "of their mean": (mean / (base?.mean ?? 1)).toFixed(2),
    tokens,
    "of their tokens": (tokens / (base?.tokens ?? 1)).toFixed(2),
  }));
}

// What is written after an answer meets whichever call is running then, which the means show; the disk's part is shown apart.
const memory = existsSync("/dev/shm") ? ["/dev/shm"] : [];
for (const place of [tmpdir(), ...memory]) {
  const folder = mkdtempSync(path.join(place, "toolpacks-bench-"));
  console.log(`store in ${place}`);
  console.table(await measure(path.join(folder, "store.db")));
  rmSync(folder, { recursive: true });
}
process.exit(0);
