import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import { fileError, writeAtomically } from "@toolpacks/files";
import { shellQuote } from "@toolpacks/settings";
import { configFlags, type Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { print, printError, printResult } from "../print.ts";
import { isUnchanged, renderSkill, type Skill } from "./render-skill.ts";

export interface SkillFlags {
  readonly to?: string;
  readonly force?: boolean;
}

/** The folder for skills, used without `--to` if its parent exists. */
const defaultFolder = path.join(".claude", "skills");

/** `toolpacks skill [pack]`: writes a skill for each pack, or for one, from which an agent with a shell learns how to call the tools. */
export async function skill(pack: string | undefined, flags: Flags & SkillFlags): Promise<void> {
  const runtime = await createRuntime(flags, { quiet: "error" });
  const { mounting, settings, finish } = runtime;
  try {
    const packs = mounting.packs.filter(({ name }) => pack === undefined || name === pack);
    if (packs.length === 0) {
      const names = mounting.packs.map(({ name }) => name).join(", ");
      throw new ConfigurationError(`no pack is named ${pack}; there are ${names}`);
    }
    await Promise.all(mounting.upstreams.filter((one) => packs.includes(one)).map((one) => one.ready()));
    const words = [...configFlags(settings.file), ...commandFlags(flags)];
    const rendered = await Promise.all(packs.map((one) => renderSkill(one, words)));
    const skills = rendered.filter((one) => one !== undefined);
    const folder = flags.to ?? (existsSync(path.dirname(defaultFolder)) ? defaultFolder : undefined);
    if (folder === undefined) for (const { text } of skills) printResult(text);
    else for (const one of skills) await write(one, folder, flags.force === true);
  } finally {
    await finish();
  }
}

/** The flags of `toolpacks skill` that its commands need, too. */
function commandFlags({ root = [], store, workspace, write }: Flags): readonly string[] {
  return [
    ...root.flatMap((one) => ["--root", shellQuote(one)]),
    ...(store === undefined ? [] : ["--store", shellQuote(store)]),
    ...(workspace === undefined ? [] : ["--workspace", shellQuote(workspace)]),
    ...(write === true ? ["--write"] : []),
  ];
}

async function write({ name, text }: Skill, folder: string, force: boolean): Promise<void> {
  const file = path.join(folder, name, "SKILL.md");
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  if (before === text) return print(`${file}: up to date`);
  if (before !== undefined && !force && !isUnchanged(before)) {
    printError(`${file}: was changed since it was written; --force overwrites it`);
    process.exitCode = 1;
    return;
  }
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeAtomically(file, text);
  } catch (error) {
    throw fileError(error, file);
  }
  print(`${file}: written`);
}
