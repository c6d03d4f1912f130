import { cancel, confirm, isCancel, multiselect, text } from "@clack/prompts";
import { errorText } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import type { KnownClient } from "./known-clients.ts";
import { readRoot, type SetupChoices } from "./setup-choices.ts";

/** Thrown when the user cancels a question. */
export class Cancelled extends Error {}

/** Asks which of the found clients to set up. */
export async function askClients(found: readonly KnownClient[]): Promise<readonly KnownClient[]> {
  const options = found.map((client) => ({ value: client.id, label: client.name }));
  const ids = answerOf(
    await multiselect({
      message: "Clients to set up",
      options,
      initialValues: found.map(({ id }) => id),
      required: true,
    }),
  );
  return found.filter(({ id }) => ids.includes(id));
}

/** Asks for the choices that no flag made. */
export async function askChoices(
  chosen: Partial<SetupChoices>,
  defaults: SetupChoices,
  packs: readonly string[],
): Promise<SetupChoices> {
  return {
    roots: chosen.roots ?? (await askRoots(defaults.roots)),
    packs: chosen.packs ?? (await askPacks(packs)),
    write:
      chosen.write ?? answerOf(await confirm({ message: "May the tools change files?", initialValue: defaults.write })),
  };
}

/** Asks whether to write the shown changes. */
export async function askToWrite(): Promise<boolean> {
  return answerOf(await confirm({ message: "Write these changes? Each file gets a backup." }));
}

async function askRoots(defaults: readonly string[]): Promise<readonly string[]> {
  const answer = await text({
    message: 'Folders whose files the tools may access, separated by commas ("-": those that the client names)',
    initialValue: printableText(defaults.join(", ")),
    validate: (value) => {
      try {
        readRoots(value ?? "");
        return undefined;
      } catch (error) {
        return printableText(errorText(error));
      }
    },
  });
  return readRoots(answerOf(answer));
}

function readRoots(answer: string): readonly string[] {
  const names = answer.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "" && name !== "-").map(readRoot);
}

async function askPacks(packs: readonly string[]): Promise<readonly string[]> {
  const options = packs.map((pack) => ({ value: pack, label: pack }));
  return answerOf(await multiselect({ message: "Packs to serve", options, initialValues: [...packs], required: true }));
}

/** @throws Cancelled if the user cancelled the question */
function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  cancel("Nothing was changed.");
  throw new Cancelled();
}
