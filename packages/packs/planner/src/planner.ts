import { definePack } from "@toolpacks/core";
import { note } from "./note.ts";
import { reminder } from "./reminder.ts";

/** The planner pack: notes and reminders. It has no tools. `store_put`, `store_query` and `store_close` work on its kinds. */
export const planner = definePack({
  name: "planner",
  description: "Notes and reminders, as records of the store.",
  budget: 1,
  kinds: [note, reminder],
  tools: () => [],
});
