import { clip, estimateTokens, type JsonSchema } from "@toolpacks/core";
import { meaning, pageFields } from "./describe.ts";
import { cutWords } from "./signature.ts";

interface Field {
  readonly name: string;
  readonly type: string;
  /** Whether it is a field of an object in the call. */
  readonly isNested: boolean;
}

/** What a note is worth: `form` says how to write a value whose type does not say it, `meaning` explains, `none` is not shown. */
type Worth = "form" | "meaning" | "none";

const vagueTypes = /^\(?(?:any|object|Record)\b/;
const textTypes = /^\(?(?:string|date)\b/;
const numberTypes = /^(?:int|number)\b/;

/** What a text has that says how to write a value: an example, a list of values, a default. */
const formMarks = /[:;,#*=<>{}$|"`]|\d|…|\bor\b/;
/** The same for the longer texts of other servers. */
const foreignFormMarks = /[*=<>{}$|"`]|\b(?:e\.g|such as|for example|format|syntax|ISO)\b/i;

/** Maximum words of a note on a text that is shown whatever it says, and of any note on a number. */
const maxShortWords = 2;
const maxNumberWords = 6;

interface Source {
  /** Whether the tool is one of ours, whose notes are short. */
  readonly isOwn: boolean;
  /** Whether it puts or queries records, whose fields follow rules of their kind. */
  readonly isOfRecord: boolean;
}

function worthOf(note: string, { name, type, isNested }: Field, { isOwn, isOfRecord }: Source): Worth {
  if (note === "" || (pageFields.has(name) && !isNested)) return "none";
  if (vagueTypes.test(type) || (isOfRecord && (isNested || type.startsWith("{")))) return "form";
  if (!isOwn) return textTypes.test(type) && foreignFormMarks.test(note) ? "form" : "none";
  const words = note.split(" ").length;
  const saysForm = words <= maxShortWords || formMarks.test(note);
  const isForm = saysForm && (textTypes.test(type) || (numberTypes.test(type) && words <= maxNumberWords));
  return isForm && !isOfRecord ? "form" : "meaning";
}

const maxOwn = { words: 40, characters: 300 } as const;
const maxForeign = { words: 12, characters: 100 } as const;

/** A field's description on one line. Descriptions of other servers' fields are cut to their first words. */
function noteText(schema: JsonSchema, isOwn: boolean): string {
  const max = isOwn ? maxOwn : maxForeign;
  return clip(cutWords(meaning(schema, 10 * max.characters), max.words), max.characters);
}

/** Creates the note of a field. Empty if it has none. */
export type FieldNote = (schema: JsonSchema, field: Field) => string;

/** Renders a line. The note of each field is asked for in the same order each time. */
type RenderLine = (note: FieldNote) => string;

interface NoteOptions {
  /** Maximum estimated tokens of the line. */
  readonly maxTokens: number;
  /** Maximum estimated tokens of a line with the notes that say no form. */
  readonly maxExplained: number;
  /** Long notes that the same answer has for a field of the same name. They are left out, and the line's own are added. */
  readonly shownBefore: Set<string>;
}

/** Maximum length of a note that each line of an answer has. */
const maxRepeatedCharacters = 16;

/** Renders a line with the notes of its fields that fit: first those that say how to write a value. Undefined if the line does not fit without notes. */
export function withNotes(
  render: RenderLine,
  source: Source,
  { maxTokens, maxExplained, shownBefore }: NoteOptions,
): string | undefined {
  const notes: { readonly text: string; readonly worth: Worth; readonly key: string }[] = [];
  const bare = render((schema, field) => {
    const note = noteText(schema, source.isOwn);
    const key = `${field.name}: ${note}`;
    const isRepeated = note.length > maxRepeatedCharacters && shownBefore.has(key);
    notes.push({ text: note, worth: isRepeated ? "none" : worthOf(note, field, source), key });
    return "";
  });
  let used = estimateTokens(bare);
  if (used > maxTokens) return undefined;
  const shown = new Set<number>();
  for (const [worth, max] of [
    ["form", maxTokens],
    ["meaning", maxExplained],
  ] as const) {
    for (const [at, note] of notes.entries()) {
      const cost = estimateTokens(` (${note.text})`);
      if (note.worth !== worth || used + cost > max) continue;
      used += cost;
      shown.add(at);
      shownBefore.add(note.key);
    }
  }
  let at = -1;
  return render(() => (shown.has((at += 1)) ? (notes[at]?.text ?? "") : ""));
}
