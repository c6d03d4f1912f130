import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { ignoredReason } from "../trust/ignored-settings.ts";
import type { Exclusion, PackRoots } from "./bundled-pack.ts";

/** The roots of a pack: those of the settings, or the caller's folders within them. @throws ConfigurationError */
export function rootsOf(name: string, settings: Settings): PackRoots {
  const configured = configuredRoots(name, settings);
  const { narrow } = settings.roots;
  return narrow === undefined ? configured : { value: narrow(configured.value), origin: "the caller's roots" };
}

/** The roots of a pack in the settings. Precedence: flag, environment, `packs.<name>.roots`, `roots`. @throws ConfigurationError */
function configuredRoots(name: string, { roots, packs, file }: Settings): PackRoots {
  const options = packs[name];
  const own = typeof options === "object" ? options["roots"] : undefined;
  const isOverridden = roots.source === "flag" || roots.source === "environment";
  if (isOverridden || file === undefined || !Array.isArray(own) || own.length === 0) return roots;
  const origin = `${file.path}: packs.${name}.roots`;
  const value = own.map((root: unknown) => {
    if (typeof root === "string" && root !== "") return path.resolve(file.directory, root);
    throw new ConfigurationError(`${origin}: expected the names of directories`);
  });
  return { value, origin };
}

/** Why a pack has no root. Undefined if it has one. */
export function missingRoots(name: string, settings: Settings): Exclusion | undefined {
  if (rootsOf(name, settings).value.length > 0) return undefined;
  if (settings.roots.narrow !== undefined) {
    return { reason: "no folder of the caller is within its roots", hint: "Another token may have other roots." };
  }
  const [refused] = settings.roots.refused ?? [];
  if (refused !== undefined) {
    return {
      reason: `the client's root ${refused}`,
      hint: "Have the client name another, change clientRoots in the config file, or start the server with --root <dir>.",
    };
  }
  const reason = "no root is given, so no file is reachable";
  const hint = "Add one: --root <dir>, $TOOLPACKS_ROOTS, or roots in the config file.";
  const isIgnored = settings.file?.ignored.some(({ key }) => key === "roots" || key === `packs.${name}`) ?? false;
  if (!isIgnored) return { reason, hint };
  const ignored = ignoredReason(settings.file);
  return { reason: `${reason}, since ${ignored.reason}`, hint: `${hint} ${ignored.hint}` };
}
