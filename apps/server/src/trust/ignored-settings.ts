import type { Pack } from "@toolpacks/core";
import { trustState } from "@toolpacks/settings";
import type { Settings } from "../config/settings.ts";

type UsedFile = NonNullable<Settings["file"]>;

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
