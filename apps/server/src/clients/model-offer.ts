import { installModel, isModelInstalled } from "../embeddings.ts";
import type { SetupChoices } from "./setup-choices.ts";

/** Offers the model for memory in one sentence. Undefined if memory is not set up, or the model is installed. */
export function modelOffer({ packs, deny }: Partial<SetupChoices>): string | undefined {
  const servesMemory = packs?.includes("memory") !== false && deny?.includes("memory") !== true;
  if (!servesMemory || isModelInstalled()) return undefined;
  return `Memory finds more with a model on this machine (46 MB of weights, 240 MB of memory while it is used): ${installModel()}`;
}
