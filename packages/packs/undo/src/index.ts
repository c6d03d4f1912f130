export { type Undo, type UndoOptions, createUndo } from "./create-undo.ts";
export { undo, undoLimits } from "./undo.ts";
