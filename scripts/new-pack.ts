// `pnpm new-pack <name> [--store]`: creates a pack in packages/packs, and its changeset.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readChoice } from "../packages/create-toolpack/src/command.ts";
import { createPack } from "../packages/create-toolpack/src/create-pack.ts";

const root = path.join(import.meta.dirname, "..");
try {
  const choice = await readChoice(process.argv.slice(2));
  if (choice === undefined) process.stdout.write("Usage: npx --yes pnpm@12 new-pack <name> [--store | --no-store]\n");
  else {
    const { name } = choice;
    if (name.package !== name.pack) throw new Error(`unexpected scope in "${name.package}": expected ${name.pack}`);
    if (existsSync(path.join(root, "packages", name.pack))) {
      throw new Error(`@toolpacks/${name.pack} already exists, in packages/${name.pack}; choose another name`);
    }
    const changeset = path.join(root, ".changeset", `new-pack-${name.pack}.md`);
    if (existsSync(changeset)) throw new Error(`${changeset} already exists; remove it, or choose another name`);
    createPack({
      ...choice,
      parent: path.join(root, "packages/packs"),
      templates: path.join(root, "packages/create-toolpack/templates"),
    });
    writeFileSync(changeset, `---\n"@toolpacks/${name.pack}": minor\n---\n\nThe pack ${name.pack}.\n`);
    process.stdout.write(nextSteps(name.pack, name.identifier));
  }
} catch (error) {
  process.stderr.write(`new-pack: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

function nextSteps(pack: string, identifier: string): string {
  return `created packages/packs/${pack} and .changeset/new-pack-${pack}.md

  npx --yes pnpm@12 install
  npx vitest run packages/packs/${pack}

README.md, under "What is here":
  [\`@toolpacks/${pack}\`](packages/packs/${pack}/README.md)

To bundle it with the server:
  apps/server/package.json, devDependencies: "@toolpacks/${pack}": "workspace:^"
  apps/server/src/mount/bundled-packs.ts: an entry that imports ${identifier} from "@toolpacks/${pack}"
  apps/server/src/mount/pack-options.ts: its options in the config file
  apps/server/README.md: its line in the table of packs
  the tests that list the packs: git grep planner -- '*.test.ts'
  npx --yes pnpm@12 build && npx vitest run apps/server/src/tests/listing.test.ts --update
`;
}
