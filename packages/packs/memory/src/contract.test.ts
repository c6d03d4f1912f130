import { packContract, type ExampleCalls } from "@toolpacks/testkit";
import { memoryUnderTest } from "./pack.fixture.ts";

const examples: ExampleCalls = {
  memory_brief: [{}, { tokens: 300 }],
  memory_remember: [
    { text: "Deploys freeze on Fridays.", tags: ["runbook"], source: "wiki" },
    { entity: "billing-api", type: "service", observations: ["Written in Go."], about: ["Anna"] },
    { text: "Anna moved to Oslo.", about: ["Anna"], supersedes: "o1" },
  ],
  memory_recall: [
    { query: "where does Anna live?" },
    { query: "Lund", entity: "Anna", history: true, limit: 3, since: "2020-01-01", until: "2099-01-01T00:00:00Z" },
    { query: "where does Anna live?", asOf: "2099-01-31" },
    { query: "", tags: ["people"] },
    { query: "Lund", workspace: "*" },
  ],
  memory_forget: [{ id: "o1", note: "a guess" }, { entity: "Anna" }, { entity: "Anna", permanent: true }],
  memory_link: [
    { from: "Anna", type: "owns", to: "Billing" },
    { from: "Anna", type: "knows", to: "Billing", remove: true },
  ],
  memory_graph: [{ entity: "Anna" }, { entity: "Billing", depth: 3, limit: 2 }],
  workspace_create: [{ name: "shop", purpose: "The shop.", files: ["README.md"] }],
  workspace_list: [{}, { archived: true, limit: 5 }],
  workspace_load: [{}, { name: "default", tokens: 300 }],
  workspace_update: [{ name: "default", purpose: "All the rest." }],
  workspace_archive: [{ name: "old", note: "done" }],
  state_save: [
    { name: "second", memory: "So far so good.", goal: "Ship", next: ["test"], files: ["a.ts"], session: "s1" },
  ],
  state_list: [{}, { session: "s1", limit: 1, archived: true }],
  state_load: [{ name: "first" }],
  state_archive: [{ name: "first", note: "over" }],
  trace_search: [{ query: "migration" }, { query: "read", tool: "fs_read", outcome: "ok", limit: 2 }],
  trace_timeline: [{}, { session: "s1", since: "2020-01-01", until: "2099-01-01", limit: 1 }],
};

packContract(memoryUnderTest, { examples, prefixes: ["memory", "workspace", "state", "trace"] });
