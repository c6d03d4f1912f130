import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { everyRecord } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { packContract } from "@toolpacks/testkit";
import { bookmarks } from "./bookmarks.ts";

packContract(
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "bookmarks-"));
    const store = sqlite(path.join(folder, "store.db"));
    const pack = bookmarks({ store });
    return {
      pack,
      fingerprint: () => Promise.all(pack.kinds.map((kind) => Array.fromAsync(everyRecord(store, kind)))),
      dispose: async () => {
        await store.end();
        await rm(folder, { recursive: true });
      },
    };
  },
  { examples: { bookmark_visit: [{ url: "https://example.com/", title: "An example" }], bookmark_top: [{}] } },
);
