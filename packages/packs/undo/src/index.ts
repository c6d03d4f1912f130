export { type Undo, type UndoOptions, createUndo } from "./create-undo.ts";
export { undo } from "./undo.ts";
export { undoLimits } from "./undo-limits.ts";
