import { packContract } from "./pack-contract.ts";
import { goodPack } from "./packs.fixture.ts";

packContract(() => goodPack(), { slow: { tool: "box_wait", args: { item: "lid" } } });
