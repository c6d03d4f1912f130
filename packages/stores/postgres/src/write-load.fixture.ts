import { runWriteLoad } from "@toolpacks/store-sql/fixture";
import { postgres } from "./postgres.ts";

await runWriteLoad(postgres);
