// `node ask-many.fixture.ts <database> <settings as JSON>`: asks the model `small` until a budget forbids it, and prints how often it answered and why it stopped.
import { ToolError } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { createModels } from "./create-models.ts";

const [, , database = "", settings = "{}"] = process.argv;
const [address, schema = ""] = database.split("#");
const store = address?.startsWith("postgres") === true ? postgres(address, { schema }) : sqlite(address ?? "");
const models = createModels({ ...(JSON.parse(settings) as object), store: store.internal() });
let answered = 0;
const reasons: string[] = [];

async function askUntilRefused(): Promise<void> {
  const { signal } = new AbortController();
  for (;;) {
    try {
      await models.ask({ model: "small", prompt: "Say it.", maxOutputTokens: 100, signal });
      answered += 1;
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      reasons.push(error.message);
      return;
    }
  }
}

await Promise.all([1, 2, 3].map(askUntilRefused));
process.stdout.write(JSON.stringify({ answered, reasons }));
await store.end();
