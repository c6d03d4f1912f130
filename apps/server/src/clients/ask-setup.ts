import { cancel, confirm, isCancel, multiselect, text } from "@clack/prompts";
import type { KnownClient } from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import { defaultChoices, packNames, readRoot, type SetupChoices } from "./setup-choices.ts";

/** Thrown when the user cancels a question. */
export class Cancelled extends Error {}

/** Asks which of the found clients to set up. */
export async function askClients(found: readonly KnownClient[]): Promise<readonly KnownClient[]> {
  const options = found.map((client) => ({ value: client.id, label: client.name }));
  const initialValues = found.map(({ id }) => id);
  const ids = answerOf(await multiselect({ message: "Clients to set up", options, initialValues, required: true }));
  return found.filter(({ id }) => ids.includes(id));
}

/** Asks for the choices that no flag made. */
export async function askChoices({ roots, packs, write, ...others }: Partial<SetupChoices>): Promise<SetupChoices> {
  return {
    ...others,
    roots: roots ?? (await askRoots()),
    packs: packs ?? (await askPacks()),
    write: write ?? answerOf(await confirm({ message: "May the tools change files?", initialValue: false })),
  };
}

/** Asks whether to write the shown changes. */
export async function askToWrite(): Promise<boolean> {
  return answerOf(await confirm({ message: "Write these changes? Each file gets a backup." }));
}

async function askRoots(): Promise<readonly string[]> {
  const answer = await text({
    message: 'Folders whose files the tools may access, separated by commas ("-": those that the client names)',
    initialValue: printableText(defaultChoices().roots.join(", ")),
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

async function askPacks(): Promise<readonly string[]> {
  const options = packNames.map((pack) => ({ value: pack, label: pack }));
  const initialValues = [...packNames];
  return answerOf(await multiselect({ message: "Packs to serve", options, initialValues, required: true }));
}

/** @throws Cancelled if the user cancelled the question */
function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  cancel("Nothing was changed.");
  throw new Cancelled();
}
