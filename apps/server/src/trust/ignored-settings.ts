import path from "node:path";
import type { Pack } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import { shellQuote } from "../shell-quote.ts";
import type { UsedFile } from "./used-file.ts";

const maxNamed = 12;

/** Warnings about the config file for the start. */
export function configWarnings(file: UsedFile | undefined): readonly string[] {
  if (file === undefined) return [];
  return [...untrustedWarning(file), ...unusedWarning(file)];
}

function untrustedWarning(file: UsedFile): readonly string[] {
  if (file.ignored.length === 0) return [];
  const keys = file.ignored.slice(0, maxNamed).map(({ key }) => printableText(key, 80));
  const more = file.ignored.length > maxNamed ? `, and ${file.ignored.length - maxNamed} more` : "";
  return [
    `${trustState(file)}, so what only a trusted file may set is ignored: ${keys.join(", ")}${more}. ${advice(file)}`,
  ];
}

function unusedWarning({ path: file, unused }: UsedFile): readonly string[] {
  if (unused.length === 0) return [];
  const used = printableText(path.basename(file));
  return [
    `${printableText(path.dirname(file))} has several config files: ${used} is used, and ${unused.join(", ")} ignored`,
  ];
}

function trustState({ path: file, hasChanged }: UsedFile): string {
  return `${printableText(file)} ${hasChanged ? "has changed since it was trusted" : "is not trusted"}`;
}

function advice({ directory }: UsedFile): string {
  return `To see what it would run and allow, and to trust it: toolpacks trust ${shellQuote(directory)}`;
}

/** The reason and hint for a model that needs an ignored setting. */
export function ignoredReason(file: UsedFile | undefined): { readonly reason: string; readonly hint: string } {
  const subject = file === undefined ? "the project's config file is not trusted" : trustState(file);
  return {
    reason: subject,
    hint: 'The user can trust the file, on a terminal, with "toolpacks trust". A model cannot.',
  };
}

/** The ignored names under `packs` or `mcpServers` of an untrusted config file. */
export function namesIgnored(file: UsedFile | undefined, key: "packs" | "mcpServers"): readonly string[] {
  const prefix = `${key}.`;
  return (file?.ignored ?? []).flatMap((one) => (one.key.startsWith(prefix) ? [one.key.slice(prefix.length)] : []));
}

/** Adds the untrusted config file to the reason of withheld tools, if the file would enable them. */
export function withIgnoredWrite(pack: Pack, file: UsedFile | undefined): Pack {
  const isRequested = file?.ignored.some(({ key }) => key === "write" || key === `packs.${pack.name}`) ?? false;
  if (!isRequested || pack.withheld.length === 0) return pack;
  const { reason, hint } = ignoredReason(file);
  const withheld = pack.withheld.map((one) => ({
    ...one,
    reason: `${one.reason}, since ${reason}`,
    hint: `${one.hint} ${hint}`,
  }));
  return { ...pack, withheld };
}
