import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { isObject } from "@toolpacks/core";
import type { Change } from "./change-record.ts";
import { editText } from "./config-text.ts";
import { valueNames, type Undone } from "./undone.ts";
import { currentValues, isBack, type CurrentValue } from "./current-values.ts";
import { readBytes, replaceFile, textOf, withMarkOf } from "./user-file.ts";

/**
 * Takes back the values that a change set, in a file that was changed since. Everything else in the file stays. A value that is another one now stays,
 * too.
 *
 * @throws ConfigurationError if the file cannot be parsed or edited; Error if no value is recorded
 */
export function takeBackValues(change: Change): Undone {
  const { file, format, backup } = change;
  if (change.values.length === 0) {
    throw new Error(`it was changed since, and an earlier version did not record the entries; they are in ${backup}`);
  }
  const values = currentValues(change);
  const isOurs = (one: CurrentValue) => !isBack(one) && one.after !== undefined;
  const open = values.filter((one) => !isBack(one) && isUnchanged(one, change));
  const others = values.filter((one) => !isBack(one) && !open.includes(one));
  if (open.length > 0) {
    const content = existsSync(file) ? readBytes(file) : undefined;
    const text = content === undefined ? "" : textOf(content);
    // Removals are the last edits, so that the list of servers is never empty, which could change its form.
    const edits = open
      .map(({ at, before }) => ({ at, value: before }))
      .toSorted((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
    replaceFile(file, withMarkOf(content, editText({ file, format, text }, edits)));
  }
  const ofClient = change.by !== "import-clients" || change.config !== undefined;
  return {
    putBack: valueNames(open.filter(({ before }) => before !== undefined)),
    removed: valueNames(open.filter(({ before }) => before === undefined)),
    found: valueNames(values.filter((one) => isBack(one) && one.before !== undefined)),
    kept: valueNames(others.filter((one) => !ofClient || !isOurs(one))),
    left: valueNames(others.filter((one) => ofClient && isOurs(one))),
  };
}

/** Whether a value is still what the change made of it. A client or the user may have added fields to our entry in the file of a client. */
function isUnchanged({ now, after, before }: CurrentValue, { by, config }: Change): boolean {
  if (isDeepStrictEqual(now, after)) return true;
  const isOurEntry = before === undefined && (by !== "import-clients" || config !== undefined);
  return isOurEntry && contains(now, after);
}

function contains(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(value) && part.every((one) => value.includes(one));
  if (!isObject(part)) return value === part;
  return isObject(value) && Object.entries(part).every(([key, inner]) => contains(value[key], inner));
}
