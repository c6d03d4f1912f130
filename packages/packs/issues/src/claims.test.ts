import { claimAs } from "./claim.fixture.ts";
import { testContention } from "./contention.fixture.ts";

// Each claimer has connections of its own. Those of the campaign are processes.
testContention({
  claimers: 4,
  queueLength: 40,
  contend: (database, claimers, by) =>
    Promise.all(
      Array.from({ length: claimers }, async (_, at) => {
        const [store, actor] = [database.open(), `agent-${at}`];
        const lines = await Array.fromAsync(claimAs(store, actor, by));
        await store.end();
        return { actor, lines };
      }),
    ),
});
