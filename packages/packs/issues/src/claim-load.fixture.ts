// Claims issues, and prints a line for each attempt: `claim-load.fixture.ts <address> <actor> <by>`.
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { claimAs } from "./claim.fixture.ts";

const [address = "", actor = "", by = ""] = process.argv.slice(2);
// All processes wait for each other's writes, which takes longer than usual on a busy machine.
const store = address.startsWith("postgres:") ? postgres(address, { timeoutMs: 120_000 }) : sqlite(address);
for await (const line of claimAs(store, actor, by === "id" ? "id" : "queue")) process.stdout.write(`${line}\n`);
await store.end();
