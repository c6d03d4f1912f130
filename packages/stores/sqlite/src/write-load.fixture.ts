import { runWriteLoad } from "@toolpacks/store-sql/fixture";
import { sqlite } from "./sqlite.ts";

await runWriteLoad(sqlite);
