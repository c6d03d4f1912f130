import { packContract } from "@toolpacks/testkit";
import { undoable } from "./undo.fixture.ts";

packContract(
  () => {
    const at = undoable();
    return { pack: at.pack, fingerprint: () => at.store.generation(), dispose: () => at.end() };
  },
  { examples: { undo_list: [{}, { path: "src", limit: 5 }] } },
);
