import { isDeepStrictEqual } from "node:util";
import { ConfigurationError, isObject } from "@toolpacks/core";
import { stripComments } from "jsonc-parser";
import { planChange, type FileChange } from "../file-change.ts";
import { parseText, valueAt } from "../config-text.ts";
import type { Edit } from "../edit.ts";
import { readText } from "../user-file.ts";
import { commandOf, isOurHook, type HookClient } from "./hook-clients.ts";

/**
 * Plans the change that gives each event our hook once. Undefined: the file has them already.
 *
 * @throws ConfigurationError if the file cannot be parsed or has another form
 */
export function planHooks(client: HookClient, file: string, command: string): FileChange | undefined {
  const added = client.entry(command);
  return planLists(client, file, (list) => {
    const ours = list.filter((entry) => hasOurHook(client, entry));
    const isSet = ours.length === 1 && isDeepStrictEqual(ours[0], added);
    // A group may have handlers of other people beside ours. Such a group keeps them.
    return isSet ? list : [...list.flatMap((entry) => without(client, entry)), added];
  });
}

/** Plans the change that removes our hooks and keeps all others. Undefined: there are none. */
export function planRemoval(client: HookClient, file: string): FileChange | undefined {
  return planLists(client, file, (list) => list.flatMap((entry) => without(client, entry)));
}

type ListChange = (list: readonly unknown[]) => readonly unknown[];

function planLists(client: HookClient, file: string, change: ListChange): FileChange | undefined {
  const text = readText(file);
  const root = parseText({ file, format: "json", text });
  if (root !== undefined && !isObject(root)) throw new ConfigurationError(`${file}: expected keys with values`);
  const edits = Object.values(client.events).flatMap((event) => eventEdit({ file, root, event }, change));
  if (edits.length === 0) return undefined;
  // A list is written anew, without the comments inside.
  const isRewritten = edits.some(({ at }) => valueAt(root, at) !== undefined);
  if (isRewritten && stripComments(text) !== text) {
    throw new ConfigurationError(`${file}: has comments, which a change of its hooks could lose; change it by hand`);
  }
  const isGrowing = edits.some(({ value }) => value !== undefined);
  const required = isGrowing ? Object.entries(client.requiredKeys) : [];
  const missing = required
    .filter(([key]) => valueAt(root, [key]) === undefined)
    .map(([key, value]) => ({ at: [key], value }));
  return planChange({ file, format: "json", edits: [...missing, ...edits] });
}

function eventEdit(
  { file, root, event }: { file: string; root: unknown; event: string },
  change: ListChange,
): readonly Edit[] {
  const hooks = valueAt(root, ["hooks"]) ?? {};
  if (!isObject(hooks)) throw new ConfigurationError(`${file}: hooks: expected events with lists`);
  const list = hooks[event] ?? [];
  if (!Array.isArray(list)) throw new ConfigurationError(`${file}: hooks.${event}: expected a list`);
  const changed = change(list);
  if (isDeepStrictEqual(changed, list)) return [];
  return [{ at: ["hooks", event], value: changed.length === 0 ? undefined : changed }];
}

function hasOurHook(client: HookClient, entry: unknown): boolean {
  return client.commands(entry).some((command) => isOurHook(command, client));
}

/** The entry without our handlers; none if it had no others. */
function without(client: HookClient, entry: unknown): readonly unknown[] {
  if (!hasOurHook(client, entry)) return [entry];
  const isOnlyOurs = client.commands(entry).every((command) => isOurHook(command, client));
  if (isOnlyOurs || !isObject(entry)) return [];
  const handlers = entry["hooks"] as readonly unknown[];
  return [{ ...entry, hooks: handlers.filter((handler) => !hasOurHook({ ...client, commands: commandOf }, handler)) }];
}
