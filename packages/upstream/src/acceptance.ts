import { canonicalJson } from "@toolpacks/core";
import { z } from "zod";
import { cleanText, cleanTexts } from "./clean-text.ts";
import { schemaHash, textHash } from "./definition-hash.ts";
import { interfaceOf } from "./passed-meta.ts";
import { shortHash } from "./offer-cache.ts";
import type { Offer, OfferedPrompt, OfferedTool } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import type { RemoteState, StateKey } from "./remote-state.ts";

/** Texts of a tool or prompt that users compare. They are cut, so acceptance is decided by the hashes. */
const words = z.object({ description: z.string(), schema: z.string(), annotations: z.string().default("") });

/** The hints of a tool that were accepted. Only these count. */
const hints = z.object({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/** Hashes of everything that influences a model, with the compared texts. */
const entry = z.object({
  description: z.string(),
  schema: z.string(),
  annotations: z.string().default(""),
  hints: hints.default({}),
  words,
});

const file = z.object({
  format: z.literal(1),
  tools: z.record(z.string(), entry),
  /** Absent in files of versions that did not store prompts. */
  prompts: z.record(z.string(), entry).optional(),
});

type Accepted = z.output<typeof file>;
type Entry = z.output<typeof entry>;
type Words = Readonly<z.output<typeof words>>;
export type ToolHints = Readonly<z.output<typeof hints>>;

const parts = ["description", "schema", "annotations"] as const;
type Part = (typeof parts)[number];

/** A difference between a tool or prompt and its accepted version. */
export interface OfferChange {
  readonly kind: "tool" | "prompt";
  /** The server's name for it. */
  readonly name: string;
  /** The changed parts. Empty when the tool or prompt is new. */
  readonly parts: readonly Part[];
  /** The accepted version, without invisible characters, its schema as indented JSON. Undefined when it is new. */
  readonly before?: Words;
  /** The version that is offered now. */
  readonly now: Words;
}

/** The result of comparing an offer with what was accepted. */
export interface Judgement {
  readonly changes: readonly OfferChange[];
  /** Accepted hints by tool. A tool that was not accepted has none. */
  readonly hints: ReadonlyMap<string, ToolHints>;
}

/** The accepted offers of a server. A server may change its tools after it was trusted. */
export interface Acceptance {
  /** Compares an offer with what was accepted. The first offer of a server is accepted as it is. */
  judge(offer: Offer): Promise<Judgement>;
  /** Accepts an offer. */
  accept(offer: Offer): Promise<void>;
  /** Calls `changed` when any process has accepted something, until the returned function is called. Does not keep the process alive. */
  watch(changed: () => void): () => void;
}

/** The stored text has the server's name. With another version, argument or address it is still the same server to the user. */
export function createAcceptance(state: RemoteState, { name, scope, caller }: UpstreamPlan): Acceptance {
  const server = `${name}${scope === undefined ? "" : `-${shortHash(scope)}`}`;
  const key: StateKey = { kind: "accepted", server, caller };
  const parse = (text: string) => parseAccepted(text, state.describe(key));
  return {
    accept: async (offer) => void (await state.update(key, () => renderAccepted(acceptedOf(offer)))),
    watch: (changed) => state.watch(key, changed),
    async judge(offer) {
      const now = acceptedOf(offer);
      const stored = await state.read(key);
      // Another process may accept its first offer at the same time.
      const accepted = parse(stored ?? (await state.update(key, (before) => before ?? renderAccepted(now))));
      const hintsOf = Object.entries(accepted.tools).map(([tool, one]) => [tool, one.hints] as const);
      return {
        changes: [
          ...changesOf("tool", accepted.tools, now.tools),
          ...changesOf("prompt", accepted.prompts ?? now.prompts ?? {}, now.prompts ?? {}),
        ],
        hints: new Map(hintsOf),
      };
    },
  };
}

function renderAccepted(accepted: Accepted): string {
  return `${JSON.stringify(accepted, undefined, 1)}\n`;
}

/** @throws Error when the text is damaged: to accept the tools then would bypass the comparison */
function parseAccepted(text: string, place: string): Accepted {
  try {
    return file.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${place} is damaged; remove it to accept what the server offers now`, { cause });
  }
}

function changesOf(
  kind: OfferChange["kind"],
  accepted: Readonly<Record<string, Entry>>,
  now: Readonly<Record<string, Entry>>,
): readonly OfferChange[] {
  return Object.entries(now).flatMap(([name, one]): readonly OfferChange[] => {
    const before = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
    if (before === undefined) return [{ kind, name, parts: [], now: one.words }];
    const changed = parts.filter((part) => one[part] !== before[part]);
    return changed.length === 0 ? [] : [{ kind, name, parts: changed, before: before.words, now: one.words }];
  });
}

function acceptedOf({ tools, prompts }: Offer): Accepted {
  const usable = tools.filter(({ unusable }) => unusable === undefined);
  return {
    format: 1,
    tools: Object.fromEntries(usable.map((tool) => [tool.name, toolEntry(tool)])),
    prompts: Object.fromEntries(prompts.map((prompt) => [prompt.name, promptEntry(prompt)])),
  };
}

/** The entry of a tool: its description, schemas, annotations and interface. A title counts only when there is no description. */
function toolEntry({ title, description, inputSchema, outputSchema, annotations = {}, _meta }: OfferedTool): Entry {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const known = { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
  const shownIn = interfaceOf(_meta);
  const schemas = { inputSchema, outputSchema, interface: shownIn };
  return entryOf(description ?? title ?? annotations.title ?? "", schemas, known);
}

function promptEntry({ description, arguments: fields }: OfferedPrompt): Entry {
  return entryOf(typeof description === "string" ? description : "", { arguments: fields }, {});
}

function entryOf(description: string, schemas: object, annotations: ToolHints): Entry {
  const hashes = Object.entries(schemas).map(([field, schema]) => [field, schemaHash(schema)]);
  return {
    description: textHash(description),
    schema: schemaHash(Object.fromEntries(hashes)),
    annotations: schemaHash(annotations),
    hints: annotations,
    words: { description: cleanText(description), schema: shown(schemas), annotations: shown(annotations) },
  };
}

/** Maximum length of a schema that is shown to users. */
const maxShownCharacters = 20_000;

function shown(value: object): string {
  const inOrder: unknown = JSON.parse(canonicalJson(cleanTexts(value)));
  return JSON.stringify(inOrder, undefined, 2).slice(0, maxShownCharacters);
}
