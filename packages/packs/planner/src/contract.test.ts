import { packContract } from "@toolpacks/testkit";
import { planner } from "./planner.ts";

// It has kinds and no tool of its own.
packContract(() => planner());
