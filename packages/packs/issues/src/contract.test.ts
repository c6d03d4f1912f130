import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { packContract, type ExampleCalls, type PackUnderTest } from "@toolpacks/testkit";
import { converse } from "./conversation.fixture.ts";
import { generateIssues } from "./generate-issues.fixture.ts";

/** The content of a store file with a few issues. Cached, because the contract tests create many packs. */
let filledFile: Promise<Buffer> | undefined;

async function makeFilledFile(): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-contract-"));
  const file = path.join(folder, "store.db");
  const store = sqlite(file);
  const { value } = converse(store, { actor: "tester" });
  await value("issue_create", {
    issues: [
      { title: "An epic", issue_type: "epic", more: { id: "bd-1" } },
      { title: "A child", parent: "bd-1", more: { id: "bd-2" } },
      { title: "It waits", depends: ["bd-2"], labels: ["later"], more: { id: "bd-3" } },
      { title: "Over", more: { id: "bd-4" } },
      { title: "Taken", more: { id: "bd-5" } },
    ],
  });
  await value("issue_close", { ids: ["bd-4"] });
  await value("issue_claim", { id: "bd-5" });
  await store.end();
  const content = readFileSync(file);
  rmSync(folder, { recursive: true });
  return content;
}

/** A few issues, a file to import, and a folder to write to. */
async function tracker(): Promise<PackUnderTest> {
  const content = await (filledFile ??= makeFilledFile());
  const folder = mkdtempSync(path.join(tmpdir(), "issues-contract-"));
  const lines = generateIssues({ count: 5 }).map((issue) => JSON.stringify(issue));
  writeFileSync(path.join(folder, "issues.jsonl"), lines.join("\n"));
  writeFileSync(path.join(folder, "store.db"), content, { mode: 0o600 });
  const store = sqlite(path.join(folder, "store.db"));
  const { pack } = converse(store, { roots: [folder], write: true, actor: "tester" });
  return {
    pack,
    fingerprint: () => store.generation(),
    dispose: async () => {
      await store.end();
      rmSync(folder, { recursive: true });
    },
  };
}

const examples: ExampleCalls = {
  issue_show: [{ ids: ["bd-1", "bd-3"] }],
  issue_tree: [{ id: "bd-1" }, { id: "bd-1", limit: 1 }],
  issue_update: [{ ids: ["bd-1", "bd-2"], set: { priority: 0, description: null } }],
  issue_claim: [{}, { id: "bd-2", actor: "bo" }],
  issue_close: [{ ids: ["bd-2"], reason: "done" }],
  issue_reopen: [{ ids: ["bd-4"] }],
  issue_depend: [
    { id: "bd-1", on: "bd-4", type: "related" },
    { id: "bd-3", on: "bd-2", remove: true },
  ],
  issue_comment: [
    { ids: ["bd-1", "bd-2"], text: "Seen." },
    { id: "bd-1", text: "Seen." },
  ],
  issue_label: [{ ids: ["bd-3"], add: ["now"], remove: ["later"] }],
  issue_release: [{ id: "bd-5", actor: "tester" }],
};

packContract(tracker, { examples });
