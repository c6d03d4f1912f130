import { ToolError } from "@toolpacks/core";
import { type Io, print, printStyled, styleDiffLine } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { confirm } from "./confirm.ts";

interface UndoFlags extends Flags {
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `toolpacks undo`: takes back the last session of this project. Shows the diff, and asks before; so it needs no `--write`. */
export async function undo(io: Io, { list, yes, dryRun, ...flags }: UndoFlags, id?: string): Promise<number> {
  const writing = flags.readOnly === true ? flags : { ...flags, write: true };
  const { surface, finish } = await createRuntime(writing, { io, quiet: "error", recordsTraces: false });
  const call = async (name: string, args: object) => {
    const outcome = await surface.dispatcher.dispatch({ name, args, context: { resultMode: "both" } });
    if (outcome.ok) return outcome;
    throw new ToolError(outcome.failure.code, outcome.failure.message, outcome.failure.hint);
  };
  const show = (text: string) => {
    for (const line of text.trimEnd().split("\n")) printStyled(io, [styleDiffLine(line)]);
  };
  try {
    const { text, value } = await call("undo_list", { limit: 200, undone: list === true });
    if (list === true) {
      show(text);
      return 0;
    }
    const items = (value?.["items"] ?? []) as readonly Partial<Record<"call" | "session", string>>[];
    const found = id === undefined ? items : [{ call: id }];
    const selections = new Map(found.map(({ session, call }) => [session ?? call, session ? { session } : { call }]));
    for (const selection of selections.values()) {
      const { blocks: [calls] = [], fullValue, value } = await call("undo", { ...selection, dryRun: true });
      const { diff, undone } = fullValue ?? value ?? {};
      show(`${calls?.type === "text" ? calls.text : ""}\n${String(diff)}`);
      // A session of which nothing can be taken back is passed over.
      if (Array.isArray(undone) && undone.length === 0) continue;
      if (dryRun === true) return 0;
      const otherwise = "undo: needs a terminal to ask; use --yes to take it back without asking";
      if (yes !== true && !(await confirm(io, "Take this back?", otherwise))) return 1;
      show((await call("undo", { ...selection, skipConflicts: true })).text);
      return 0;
    }
    print(io, "nothing to take back");
    return selections.size === 0 ? 0 : 1;
  } finally {
    await finish();
  }
}
