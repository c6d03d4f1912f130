import type { ToolContext } from "@toolpacks/core";
import type { Entry, KeptEntry } from "./entry.ts";
import type { OpenUndo } from "./open-undo.ts";
import type { Selected } from "./select-entries.ts";

/** Takes back one sort of entries, the newest first. All of them are planned before anything is changed. */
export interface UndoPart {
  readonly has: (entry: KeptEntry) => boolean;
  /** @throws ToolError with the reason why an entry cannot be taken back */
  plan(entry: KeptEntry): Promise<void>;
  /** Takes back an entry. Returns why that cannot be taken back. */
  undo(entry: KeptEntry, own: Entry): Promise<string | undefined>;
  /** What is planned, as unified diffs. */
  diff(): Promise<readonly string[]>;
}

export interface PartOptions extends Selected {
  readonly opened: OpenUndo;
  readonly context: ToolContext;
}
