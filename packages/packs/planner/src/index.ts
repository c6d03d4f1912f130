export { note } from "./note.ts";
export { planner } from "./planner.ts";
export { reminder } from "./reminder.ts";
