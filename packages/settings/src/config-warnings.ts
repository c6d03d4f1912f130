import path from "node:path";
import { printableText, shellQuote } from "@toolpacks/terminal";
import type { UsedFile } from "./used-file.ts";

const maxNamed = 12;

/** Warnings about the config file for the start. */
export function configWarnings(name: string, file: UsedFile<object> | undefined): readonly string[] {
  if (file === undefined) return [];
  return [...untrustedWarning(name, file), ...unusedWarning(file)];
}

function untrustedWarning(name: string, file: UsedFile<object>): readonly string[] {
  const { directory, ignored } = file;
  if (ignored.length === 0) return [];
  const keys = ignored.slice(0, maxNamed).map(({ key }) => printableText(key, 80));
  const more = ignored.length > maxNamed ? `, and ${ignored.length - maxNamed} more` : "";
  const advice = `To see what it would run and allow, and to trust it: ${name} trust ${shellQuote(directory)}`;
  return [`${trustState(file)}, so what only a trusted file may set is ignored: ${keys.join(", ")}${more}. ${advice}`];
}

function unusedWarning({ path: file, unused }: UsedFile<object>): readonly string[] {
  if (unused.length === 0) return [];
  const used = printableText(path.basename(file));
  return [
    `${printableText(path.dirname(file))} has several config files: ${used} is used, and ${unused.join(", ")} ignored`,
  ];
}

/** Why settings of a config file are ignored: `/a/toolpacks.config.json is not trusted`. */
export function trustState({ path: file, hasChanged }: Pick<UsedFile<object>, "path" | "hasChanged">): string {
  return `${printableText(file)} ${hasChanged ? "has changed since it was trusted" : "is not trusted"}`;
}
