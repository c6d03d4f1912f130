import { statSync } from "node:fs";
import { ConfigurationError, errorText, type Pack } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { withIgnoredWrite } from "../trust/ignored-settings.ts";
import type { BundledPack, CreatedPack, PackServices } from "./bundled-pack.ts";
import { importPack } from "./import-pack.ts";
import type { ImportedPack, LeftOut, MountPlan, PlannedPack } from "./mount-plan.ts";

interface CreateContext {
  readonly services: PackServices;
  /** Imported packs of other mountings, by specifier. */
  readonly instances: Map<string, Pack>;
}

interface CreatedPacks {
  readonly bundled: readonly (CreatedPack & { readonly entry: BundledPack })[];
  readonly imported: readonly Pack[];
  /** The packs that cannot be created. */
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly string[];
}

/** Creates the packs of a plan. A pack that cannot be created is a problem. */
export async function createPacks(plan: MountPlan, { services, instances }: CreateContext): Promise<CreatedPacks> {
  const leftOut: LeftOut[] = [];
  const problems = new Set<string>();
  const attempt = async <T>(name: string, create: () => Promise<T>): Promise<readonly T[]> => {
    try {
      return [await create()];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      // Packs with the same roots have the same problem.
      for (const problem of error.problems) problems.add(problem);
      leftOut.push({ name, reason: "it cannot be created", hint: "Its problem says why." });
      return [];
    }
  };
  const bundled = await Promise.all(
    plan.bundled.map((pack) =>
      attempt(pack.entry.name, async () => ({ ...(await createBundled(pack, services)), entry: pack.entry })),
    ),
  );
  const imported = await Promise.all(
    plan.imported.map((one) => attempt(one.specifier, async () => createImported(one, services, instances))),
  );
  return { bundled: bundled.flat(), imported: imported.flat(), leftOut, problems: [...problems] };
}

async function createBundled({ entry, options, roots }: PlannedPack, services: PackServices): Promise<CreatedPack> {
  const { settings } = services;
  for (const root of roots?.value ?? []) checkRoot(root, roots?.origin ?? "");
  const created = await nameErrors(settings, entry.name, async () => {
    await checkOptions(entry.name, settings);
    return entry.create(options, services);
  });
  return { ...created, pack: withIgnoredWrite(created.pack, settings.file) };
}

/** @throws ConfigurationError for the options in the config file that the pack does not have, also if the server would replace them */
async function checkOptions(name: string, { packs, file }: Settings): Promise<void> {
  const own = packs[name];
  if (typeof own !== "object") return;
  const mistakes = (await import("./pack-options.ts")).optionsMistakes(name, own);
  if (mistakes.length > 0) throw new ConfigurationError(...mistakes.map((mistake) => `${file?.path}: ${mistake}`));
}

/** Creates an imported pack, or returns the instance of another mounting if it has no store. */
async function createImported(
  one: ImportedPack,
  { store, settings, log }: PackServices,
  instances: Map<string, Pack>,
): Promise<Pack> {
  const known = instances.get(one.specifier);
  if (known !== undefined) return known;
  const create = () => importPack(one, settings.file?.directory ?? settings.io.cwd, { store, log });
  const { pack, hasStore } = await nameErrors(settings, one.specifier, create);
  if (!hasStore) instances.set(one.specifier, pack);
  return pack;
}

function checkRoot(root: string, origin: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigurationError(`${origin}: expected an existing directory, received ${root}`);
}

/** Adds the pack's place in the config file to an error of its factory. */
async function nameErrors<T>({ file }: Settings, name: string, create: () => T | Promise<T>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const message = errorText(error).split("\n", 1)[0] ?? "";
    throw new ConfigurationError(`${file === undefined ? "" : `${file.path}: `}packs.${name}: ${message}`);
  }
}
