import { createCatalog, createDispatcher } from "@toolpacks/core";
import { packContract } from "@toolpacks/testkit";
import { emptyStore } from "./bench.fixture.ts";
import { workflows } from "./workflows.ts";

const ten = { description: "Ten.", steps: [{ id: "only", step: "value", params: { done: true } }] };

packContract(
  async () => {
    const store = emptyStore();
    const pack = workflows({ store, definitions: { ten } });
    const tools = createDispatcher(createCatalog({ packs: [pack] }));
    await tools.dispatch({ name: "workflow_run", args: { name: "ten" } });
    // A report is read from the disk, so that of the run is written now.
    await tools.dispatch({ name: "workflow_report", args: {} });
    return { pack, fingerprint: async () => String(await store.generation()), dispose: () => store.end() };
  },
  {
    examples: {
      workflow_eval: [
        { steps: [{ step: "value", params: { done: true } }] },
        { name: "ten", dryRun: true, onError: "continue" },
      ],
      workflow_run: [{ name: "ten", input: {} }],
      workflow_list: [{}],
      workflow_report: [{}, { format: "data" }, { step: "only" }, { workflow: "ten", format: "json" }],
      workflow_steps: [{}, { type: "tool" }],
    },
  },
);
