import { listWithTotal, type Call, type Outcome, type Success } from "@toolpacks/core";
import { isOver, type Threshold } from "../box/thresholds.ts";
import { parseExactly } from "../process/exact-json.ts";
import { cutTexts } from "./cut-texts.ts";
import { jsonBlock, minRowTokens } from "./row-precheck.ts";
import { selectFields } from "./select-fields.ts";

/** Maximum characters of a JSON text that is parsed. */
const maxCharacters = 1024 * 1024;

/** Maximum share of a result that is left after a cut. Otherwise the result stays whole, because a read of the rest would cost more. */
const maxCutShare = 0.9;

export interface RowOptions {
  readonly call: Call;
  /** Whether tools list output schemas. Structured content must then stay. */
  readonly keepsStructured: boolean;
  readonly threshold: Threshold;
  /** Keeps the whole result. Resolves to its handle. */
  readonly keep: (text: string) => Promise<string>;
}

/** Reads the rows of a result. Its JSON is parsed once. Undefined for a result that must stay, or is no JSON. */
export function readRows(outcome: Success, options: RowOptions) {
  const { value: whole, form } = outcome;
  const { call, keepsStructured, threshold } = options;
  // Structured content that a client validates, or shows in the interface of a tool, stays with its text.
  if (whole !== undefined && (keepsStructured || form !== undefined)) return undefined;
  const isStructured = whole !== undefined && call.context.resultMode === "structured";
  const text = isStructured ? undefined : jsonBlock(outcome);
  const source = text ?? (whole === undefined ? undefined : JSON.stringify(whole));
  if (source === undefined || source.length > maxCharacters) return undefined;
  const rows = text === undefined ? whole : parseExactly(text);
  if (rows === undefined) return undefined;

  const { counted } = listWithTotal(text === undefined ? undefined : rows) ?? {};
  const count = counted === undefined ? "" : ` (${counted})`;
  const shortened = async (value: unknown, omission: string, share = 1): Promise<Outcome | undefined> => {
    const shown = JSON.stringify(value);
    const length = shown.length + noteOf(omission + count, exampleHandle).length;
    if (isOver(shown, threshold) || length >= share * source.length) return undefined;
    const handle = await options.keep(source);
    const note = noteOf(omission + count, handle);
    const { value: _value, blocks: _blocks, ...rest } = outcome;
    const content = isStructured
      ? { value: value as NonNullable<Success["value"]>, notice: joinLines(outcome.notice, note) }
      : { blocks: [{ type: "text" as const, text: `${shown}\n${note}` }] };
    const isForCode = call.context.resultMode === "both";
    return { ...rest, ...content, handle, ...(isForCode && { fullValue: whole ?? { text: source } }) };
  };
  return {
    /** Selects fields of every row. There is no outcome if that shortens nothing, or the selection is large. */
    async select(fields: readonly string[]) {
      const { selected, isShorter, missing, known } = selectFields(rows, fields);
      // A tool's own argument `fields` may mean something else if no row has any of them.
      const isMeant = call.context.fields !== undefined || missing.length < fields.length;
      return {
        outcome: isShorter ? await shortened(selected, "The rows have only the named fields") : undefined,
        /** Why rows do not have fields that the call names beside its arguments. */
        problem: missing.length > 0 && isMeant ? missingFields(missing, known) : undefined,
        /** Whether the rows have only the fields already. */
        isDone: !isShorter && missing.length < fields.length,
      };
    },
    /** Cuts the long texts of rows. Undefined if that shortens nothing. */
    cut: async () =>
      isOver(source, minRowTokens)
        ? shortened(cutTexts(rows), "Long texts of the rows are cut", maxCutShare)
        : undefined,
  };
}

function missingFields(missing: readonly string[], known: readonly string[] | undefined): string {
  if (known === undefined) return "fields: the result has no rows, so it is whole.";
  return `fields: no row has ${missing.join(", ")}; a row has ${known.slice(0, 20).join(", ")}.`;
}

const exampleHandle = `relay://${"x".repeat(20)}`;

function noteOf(omission: string, handle: string): string {
  return `${omission}. The whole result is ${handle} (relay_read); references of later calls see it whole.`;
}

export function joinLines(...lines: readonly (string | undefined)[]): string {
  return lines.filter((line) => line !== undefined).join("\n");
}
