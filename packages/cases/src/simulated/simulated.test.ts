import { packContract } from "@toolpacks/testkit";
import { simulated } from "./simulated.ts";

const url = "https://museum.test/talk";

packContract(
  () => {
    const drive = new Map<string, string>();
    return { pack: simulated({ drive }), fingerprint: () => [...drive] };
  },
  {
    snapshots: "../../snapshots",
    prefixes: ["transcribe", "fetch", "deep", "write"],
    examples: {
      transcribe_video: [{ url }],
      fetch_page: [{ url }],
      deep_check: [{ documents: [{ title: "Talk", text: "The number of seats is 4." }] }],
      write_drive: [{ path: "a/b.txt", content: "text" }],
    },
  },
);
