import type { Call, Outcome } from "@toolpacks/core";
import { formatHandle } from "../handle.ts";
import type { Relay } from "../create-relay.ts";
import { joinLines, readRows } from "../rows/shorten-rows.ts";
import { boxOutcome } from "./box-outcome.ts";
import { thresholdOf, type ThresholdSettings } from "./thresholds.ts";

interface ShortenOptions {
  readonly call: Call;
  /** The fields that the call wants of each row. */
  readonly fields: readonly string[] | undefined;
  readonly keepsStructured: boolean;
  readonly settings: ThresholdSettings;
}

/**
 * Shortens the outcome of a call to what a model needs first: the named fields of its rows, otherwise a handle with its shape if
 * it is large, otherwise rows whose long texts are cut. Returns the same object when it stays whole.
 */
export async function shortenOutcome(outcome: Outcome, relay: Relay, options: ShortenOptions): Promise<Outcome> {
  const { call, fields, keepsStructured, settings } = options;
  const { name } = call.tool;
  const threshold = thresholdOf(settings, name);
  const keep = async (text: string) => {
    const { id } = await relay.values.put({ data: text, mimeType: "application/json", text: true });
    return formatHandle(id, relay.mode);
  };
  const isRows = outcome.ok && threshold !== false;
  const rows = isRows ? readRows(outcome, { call, keepsStructured, threshold, keep }) : undefined;
  const selected = fields && (await rows?.select(fields));
  const short = selected?.outcome ?? (await boxOutcome(outcome, relay.boxer(name), { call, keepsStructured }));
  const shown = short === outcome && selected?.isDone !== true ? ((await rows?.cut()) ?? outcome) : short;
  if (selected?.problem === undefined || !shown.ok) return shown;
  return { ...shown, notice: joinLines(shown.notice, selected.problem) };
}
