import { packContract } from "@toolpacks/testkit";
import { planner } from "./planner.ts";

// The pack has kinds, but no tools.
packContract(() => planner());
