import type { OpenUndo } from "./open-undo.ts";
import { undoList } from "./undo-list.ts";
import { undoTool } from "./undo-tool.ts";

export const undoTools = (open: () => Promise<OpenUndo>) => [undoTool(open), undoList(open)];
