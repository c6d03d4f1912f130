import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { packContract } from "@toolpacks/testkit";
import { afterAll } from "vitest";
import { storeValues } from "./values/store-values.ts";
import { serverRelay } from "./server/server-relay.ts";

const folder = await mkdtemp(path.join(tmpdir(), "relay-contract-"));
const store = sqlite(path.join(folder, "store.db"));
const items = Array.from({ length: 500 }, (_, at) => ({ name: `item ${at}`, note: "an error" }));
const data = JSON.stringify({ items });
const { id } = await storeValues({ store }).put({ data, mimeType: "application/json", text: true });
const handle = `relay://${id}`;

afterAll(async () => {
  await store.end();
  await rm(folder, { recursive: true });
});

packContract(() => serverRelay({ store }).pack, {
  examples: {
    relay_read: [
      { handle },
      { handle, mode: "whole" },
      { handle, start: 8_000 },
      { handle, mode: "length" },
      { handle, mode: "lines", start: -10 },
      { handle, mode: "grep", pattern: "(?i)ERROR", window: 2 },
      { handle, mode: "pick", pattern: "$.items[*].name", count: 3 },
    ],
  },
});
