export { createUndo } from "./create-undo.ts";
export { type UndoOptions, undoLimits } from "./undo-options.ts";
