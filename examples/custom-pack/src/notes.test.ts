import { packContract } from "@toolpacks/testkit";
import { notes } from "./notes.ts";

packContract(
  () => {
    const kept = new Map([["n1", "Feed the cat."]]);
    return { pack: notes({ kept }), fingerprint: () => [...kept] };
  },
  { examples: { note_add: [{ text: "Water the plants." }], note_list: [{}] } },
);
