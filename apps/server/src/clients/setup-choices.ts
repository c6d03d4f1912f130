import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { takeFlag, type EntryArguments } from "@toolpacks/client-config";
import { ConfigurationError } from "@toolpacks/core";
import { isTooWide } from "../config/current-project.ts";
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

/** The roots of a new entry: the current folder, unless it is too wide. */
export function defaultRoots(current: string): readonly string[] {
  return isTooWide(current) ? [] : [current];
}

/** Makes a root absolute, from the current folder. @throws ConfigurationError if it is not a folder */
export function readRoot(text: string, current: string): string {
  const folder = path.resolve(current, text.replace(/^~(?=$|[\\/])/, homedir()));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ConfigurationError(`--root: not a folder: ${folder}`);
  }
  return folder;
}

/** The arguments of entries. An entry that is there changes by the user's choices only. */
export function entryArguments(chosen: Partial<SetupChoices>, current: string): EntryArguments {
  return {
    added: chosenArguments([], { ...chosen, roots: chosen.roots ?? defaultRoots(current) }),
    update: (args) => chosenArguments(args, chosen),
  };
}

/** Applies choices to the arguments of an entry. Other arguments stay. */
function chosenArguments(args: readonly string[], { roots, packs, write, deny }: Partial<SetupChoices>) {
  let kept = args;
  if (roots !== undefined) kept = takeFlag(kept, "--root").rest;
  if (write !== undefined) kept = kept.filter((word) => word !== "--write" && !(write && word === "--read-only"));
  const denied = takeFlag(kept, "--deny");
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
