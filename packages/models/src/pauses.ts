import type { Exchange } from "./ask-endpoint.ts";
import type { ConfiguredModel } from "./configured-models.ts";

/** Until when models that limit their rate are not asked, as milliseconds since the epoch. */
export type Pauses = Map<string, number>;

/** Maximum pause of a model in seconds, whatever its endpoint demands. */
const maxPauseSeconds = 300;

/** Pauses a model whose endpoint has limited its rate. */
export function pause({ name }: ConfiguredModel, { retryAfter }: Exchange, pauses: Pauses): void {
  if (retryAfter === undefined) return;
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  if (seconds > 0) pauses.set(name, Date.now() + Math.min(seconds, maxPauseSeconds) * 1_000);
}

/** Why a model is not asked for a while. Undefined: it may be asked. */
export function pausedFor({ name }: ConfiguredModel, pauses: Pauses): string | undefined {
  const seconds = Math.ceil(((pauses.get(name) ?? 0) - Date.now()) / 1_000);
  return seconds > 0 ? `it limits its rate, for ${seconds} s more` : undefined;
}
