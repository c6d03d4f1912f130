import type { Pack } from "@toolpacks/core";
import { firstSentence } from "./first-sentence.ts";

const maxCharacters = 160;

/** What a pack is for, in one line. Of another server that was connected once: its own words, or what its tools are about. */
export async function aboutPack({ description, remote }: Pick<Pack, "description" | "remote">): Promise<string> {
  return ((await remote?.about?.()) ?? firstSentence(description)).slice(0, maxCharacters);
}
