import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { EntryArguments } from "@toolpacks/client-config";
import { closest, ConfigurationError } from "@toolpacks/core";
import { bundledPacks } from "../mount/bundled-packs.ts";

/** The packs that a person can choose. */
export const packNames: readonly string[] = bundledPacks.flatMap(({ name, isOptional }) =>
  isOptional === true ? [] : [name],
);

/** What a person chooses for the entry of the server. */
export interface SetupChoices {
  /** Folders whose files the tools may access. Empty: the client's roots. */
  readonly roots: readonly string[];
  /** The bundled packs to serve. */
  readonly packs: readonly string[];
  /** Whether tools may change files. */
  readonly write: boolean;
  /** Tools to deny besides. */
  readonly deny?: readonly string[];
}

/** The choices for a new entry that the user does not make: the current folder unless it is too wide, all packs, no writing. */
export function defaultChoices(current: string): SetupChoices {
  const isTooWide = current === homedir() || path.dirname(current) === current;
  return { roots: isTooWide ? [] : [current], packs: packNames, write: false };
}

/** Makes a root absolute, from the current folder. @throws ConfigurationError if it is not a folder */
export function readRoot(text: string, current: string): string {
  const folder = path.resolve(current, text.replace(/^~(?=$|[\\/])/, homedir()));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigurationError(`--root: not a folder: ${folder}`);
  }
  return folder;
}

/** Checks names of a list that the user wrote. @throws ConfigurationError that names the unknown one and the accepted ones */
export function checkNames(what: string, names: readonly string[], known: readonly string[]): void {
  for (const name of names) {
    if (known.includes(name)) continue;
    const meant = closest(name, known);
    const hint = meant === undefined ? `; expected ${known.join(", ")}` : ` (did you mean "${meant}"?)`;
    throw new ConfigurationError(`unknown ${what} "${name}"${hint}`);
  }
}

/** The arguments of entries. An entry that is there changes by the user's choices only. */
export function entryArguments(chosen: Partial<SetupChoices>, current: string): EntryArguments {
  return {
    added: chosenArguments([], { ...defaultChoices(current), ...chosen }),
    update: (args) => chosenArguments(args, chosen),
  };
}

/** Applies choices to the arguments of an entry. Other arguments stay. */
function chosenArguments(args: readonly string[], { roots, packs, write, deny }: Partial<SetupChoices>) {
  let kept = args;
  if (roots !== undefined) kept = withoutFlag(kept, "--root").rest;
  if (write !== undefined) kept = kept.filter((word) => word !== "--write" && !(write && word === "--read-only"));
  const denied = withoutFlag(kept, "--deny");
  const names = new Set(
    denied.values.flatMap((value) => value.split(",")).filter((name) => !(packs && packNames.includes(name))),
  );
  for (const name of [...packNames.filter((name) => packs?.includes(name) === false), ...(deny ?? [])]) names.add(name);
  const changesDeny = packs !== undefined || deny !== undefined;
  return [
    ...(changesDeny ? denied.rest : kept),
    ...(roots ?? []).flatMap((root) => ["--root", root]),
    ...(write === true ? ["--write"] : []),
    ...(changesDeny && names.size > 0 ? ["--deny", [...names].join(",")] : []),
  ];
}

/** Removes a flag with a value, in both of its forms. */
function withoutFlag(args: readonly string[], flag: string) {
  const rest: string[] = [];
  const values: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word.startsWith(`${flag}=`)) values.push(word.slice(flag.length + 1));
    else if (word === flag) values.push(args[(at += 1)] ?? "");
    else rest.push(word);
  }
  return { rest, values };
}
