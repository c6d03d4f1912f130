import { ToolError, type Failure } from "@toolpacks/core";
import type { Journal, WrittenReport } from "../report/journal.ts";
import type { Ending } from "../report/report-writer.ts";
import { errorOf } from "./evaluate.ts";
import type { StepDigest } from "./step-digest.ts";

/** A journal whose failure does not end the run. When the report cannot be written, the run changes nothing more and still returns its results. */
export interface GuardedJournal extends Journal {
  /** Why the report could not be written. */
  unkept(): Failure | undefined;
  /** Resolves to undefined when there is no report. */
  finish(ending: Ending): Promise<WrittenReport | undefined>;
}

interface GuardOptions {
  /** Collects the entries that the answer shows. */
  readonly add: StepDigest["add"];
  /** Called with each error that is not a ToolError. */
  readonly onBug: (error: unknown) => void;
}

export function guardJournal(journal: Journal, { add, onBug }: GuardOptions): GuardedJournal {
  let unkept: Failure | undefined;
  const fail = (error: unknown): Failure => {
    if (unkept !== undefined) return unkept;
    if (!ToolError.is(error)) onBug(error);
    const { code, message } = ToolError.is(error)
      ? error
      : ({ code: "internal", message: "the store failed inside the server" } as const);
    return (unkept = { code, message: `the report cannot be written: ${message}` });
  };
  return {
    ...journal,
    unkept: () => unkept,
    async flush() {
      if (unkept !== undefined) throw errorOf(unkept);
      try {
        await journal.flush();
      } catch (error) {
        throw errorOf(fail(error));
      }
    },
    async add(step, isDurable) {
      const unwritten = { ...step.entry, ...(step.json !== undefined && { size: step.json.length }) };
      const entry =
        unkept !== undefined
          ? unwritten
          : await journal.add(step, isDurable).catch((error: unknown) => {
              fail(error);
              return unwritten;
            });
      add(entry, step.json);
      return entry;
    },
    async finish(ending) {
      try {
        return await journal.end(ending);
      } catch (error) {
        fail(error);
        return journal.written();
      }
    },
  };
}
