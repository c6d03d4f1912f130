import { cancel, confirm, isCancel, multiselect, text } from "@clack/prompts";
import type { KnownClient } from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { type Io, printableText } from "@toolpacks/terminal";
import { defaultRoots, packNames, readRoot, type SetupChoices } from "./setup-choices.ts";

/** Thrown when the user cancels a question. */
export class Cancelled extends Error {}

/** Asks which of the found clients to set up. */
export async function askClients(io: Io, found: readonly KnownClient[]): Promise<readonly KnownClient[]> {
  const options = found.map((client) => ({ value: client.id, label: client.name }));
  const initialValues = found.map(({ id }) => id);
  const ids = answerOf(
    await multiselect({ ...streams(io), message: "Clients to set up", options, initialValues, required: true }),
  );
  return found.filter(({ id }) => ids.includes(id));
}

/** Asks for the choices that no flag made. */
export async function askChoices(io: Io, chosen: Partial<SetupChoices>): Promise<SetupChoices> {
  const { roots, packs, write, ...others } = chosen;
  const asksToWrite = { ...streams(io), message: "May the tools change files?", initialValue: false };
  return {
    ...others,
    roots: roots ?? (await askRoots(io)),
    packs: packs ?? (await askPacks(io)),
    write: write ?? answerOf(await confirm(asksToWrite)),
  };
}

/** Asks whether to write the shown changes. */
export async function askToWrite(io: Io): Promise<boolean> {
  return answerOf(await confirm({ ...streams(io), message: "Write these changes? Each file gets a backup." }));
}

async function askRoots(io: Io): Promise<readonly string[]> {
  const answer = await text({
    ...streams(io),
    message: 'Folders whose files the tools may access, separated by commas ("-": those that the client names)',
    initialValue: printableText(defaultRoots(io.cwd).join(", ")),
    validate: (value) => {
      try {
        readRoots(value ?? "", io.cwd);
        return undefined;
      } catch (error) {
        return printableText(errorText(error));
      }
    },
  });
  return readRoots(answerOf(answer), io.cwd);
}

function readRoots(answer: string, current: string): readonly string[] {
  const names = answer.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "" && name !== "-").map((name) => readRoot(name, current));
}

async function askPacks(io: Io): Promise<readonly string[]> {
  const options = packNames.map((pack) => ({ value: pack, label: pack }));
  const initialValues = [...packNames];
  return answerOf(
    await multiselect({ ...streams(io), message: "Packs to serve", options, initialValues, required: true }),
  );
}

function streams({ stdin: input, stdout: output }: Io) {
  return { input, output };
}

/** @throws Cancelled if the user cancelled the question */
function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>;
  cancel("Nothing was changed.");
  throw new Cancelled();
}
