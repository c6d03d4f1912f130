import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text?: string;
  readonly blip_caption?: string;
}

interface Sample {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly { question: string; evidence?: readonly string[]; category: number }[];
}

interface Correction {
  readonly question_id: string;
  readonly correct_evidence?: readonly string[];
}

/** A text that is remembered: a turn, or a whole session. */
export interface Passage {
  /** `D1:3` is the third turn of the first session; `D1` is the first session. */
  readonly id: string;
  readonly text: string;
  readonly about: readonly string[];
  readonly since: string;
  /** The session. Turns of one session have the same source. */
  readonly source: string;
}

export interface Question {
  readonly text: string;
  readonly category: number;
  /** Identifiers of turns. */
  readonly evidence: readonly string[];
  /** Evidence by the corrected key; the same if it has no correction. */
  readonly corrected: readonly string[];
}

export interface Conversation {
  readonly name: string;
  readonly turns: readonly Passage[];
  readonly sessions: readonly Passage[];
  readonly questions: readonly Question[];
}

/**
 * Reads `locomo10.json` and, if it is there, the corrected key `errors.json` (dial481/locomo-audit).
 *
 * @returns undefined if the data is missing
 */
export function readConversations(
  folder: string,
): { readonly conversations: readonly Conversation[]; readonly isCorrected: boolean } | undefined {
  const file = path.join(folder, "locomo10.json");
  if (!existsSync(file)) return undefined;
  const key = path.join(folder, "errors.json");
  const isCorrected = existsSync(key);
  const corrections = new Map(
    (isCorrected ? (JSON.parse(readFileSync(key, "utf8")) as readonly Correction[]) : []).map(
      (one) => [one.question_id, one.correct_evidence] as const,
    ),
  );
  const samples = JSON.parse(readFileSync(file, "utf8")) as readonly Sample[];
  return { conversations: samples.map((sample, at) => readSample(sample, at, corrections)), isCorrected };
}

function readSample(
  { sample_id: name, conversation, qa }: Sample,
  place: number,
  corrections: ReadonlyMap<string, readonly string[] | undefined>,
): Conversation {
  const turns: Passage[] = [];
  const sessions: Passage[] = [];
  for (const [field, value] of Object.entries(conversation)) {
    const number = /^session_(\d+)$/.exec(field)?.[1];
    if (number === undefined) continue;
    const since = parseTime(String(conversation[`${field}_date_time`]));
    const said = (value as readonly Turn[]).map((turn) => ({
      id: turn.dia_id,
      text: [turn.text, turn.blip_caption].filter((part) => part !== undefined && part !== "").join(" "),
      about: [turn.speaker],
      since,
      source: field,
    }));
    turns.push(...said.filter(({ text }) => text !== ""));
    const text = said.map((turn) => `${turn.about.join("")}: ${turn.text}`).join("\n");
    if (said.length > 0)
      sessions.push({
        id: `D${number}`,
        text,
        about: [...new Set(said.flatMap((turn) => turn.about))],
        since,
        source: field,
      });
  }
  const known = new Set(turns.map(({ id }) => id));
  const turnsOf = (evidence: readonly string[]) => parseEvidence(evidence).filter((id) => known.has(id));
  const questions = qa.map(({ question, evidence = [], category }, at) => {
    const cited = turnsOf(evidence);
    const correct = turnsOf(corrections.get(`locomo_${place}_qa${at}`) ?? []);
    return { text: question, category, evidence: cited, corrected: correct.length > 0 ? correct : cited };
  });
  return { name, turns, sessions, questions };
}

/** Identifiers in the key have several spellings: `D8:6; D9:17`, `D30:05`. */
function parseEvidence(evidence: readonly string[]): readonly string[] {
  const found = evidence.join(" ").matchAll(/D:?(\d+):(\d+)/g);
  return [...new Set([...found].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`))];
}

/** `1:56 pm on 8 May, 2023` as an ISO 8601 time. */
function parseTime(text: string): string {
  const [clock = "", day = ""] = text.split(" on ");
  return new Date(`${day} ${clock} UTC`).toISOString();
}
