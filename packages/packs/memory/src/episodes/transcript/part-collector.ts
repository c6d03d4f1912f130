import { cutText, maskAndCut, maskBeginning } from "../../cut-text.ts";
import { condenseArgs } from "../../traces/condense-call.ts";
import type { EpisodePart } from "../episode.ts";
import type { PartEvent } from "./session-event.ts";

/** Maximum length of a part's text, without the words that say what is left out. */
const maxTextLength = 4_000;
const maxInputLength = 300;
const maxCallsPerPart = 20;
/** Maximum number of calls that wait for their results. */
const maxOpenCalls = 1_000;
/** Parts of a long session that are kept: the first and the last ones. */
const keptParts = { first: 500, last: 1_500 };

/** A part of a session, as an episode keeps it. */
export type SessionPart = Pick<EpisodePart, "part" | "role" | "text"> & { readonly at: string | undefined };

interface OpenPart extends Omit<SessionPart, "text"> {
  /** The message, or one line for each call. */
  readonly lines: string[];
}

/** Collects the parts of a session, each masked and cut. It holds at most 3,500 parts. */
export class PartCollector {
  readonly #parts: OpenPart[] = [];
  #count = 0;
  /** The places of calls without a result, by their id. */
  readonly #openCalls = new Map<string, { readonly lines: string[]; readonly at: number }>();

  add(event: PartEvent, at: string | undefined): void {
    if (event.type === "message") this.#open(event.role, at).lines.push(messageText(event.text));
    else if (event.type === "call") this.#addCall(event, at);
    else this.#markFailed(event.id);
  }

  /** The parts that are kept, in their order, and which ones are left out. */
  finish(): { readonly parts: readonly SessionPart[]; readonly cut: string | undefined } {
    const { first, last } = keptParts;
    this.#parts.splice(first, this.#parts.length - first - last);
    const left = this.#count - this.#parts.length;
    const cut = left === 0 ? undefined : `${left} parts were left out: ${first + 1} to ${first + left}`;
    return { parts: this.#parts.map(({ lines, ...part }) => ({ ...part, text: lines.join("\n") })), cut };
  }

  #open(role: SessionPart["role"], at: string | undefined): OpenPart {
    this.#count += 1;
    const part = { part: this.#count, role, at, lines: [] };
    this.#parts.push(part);
    const { first, last } = keptParts;
    if (this.#parts.length >= first + 2 * last) this.#parts.splice(first, last);
    return part;
  }

  #addCall({ id, name, input }: Extract<PartEvent, { type: "call" }>, at: string | undefined): void {
    const before = this.#parts.at(-1);
    const isFull = before?.role !== "tools" || before.lines.length >= maxCallsPerPart;
    const { lines } = isFull ? this.#open("tools", at) : before;
    lines.push(callText(name, input));
    if (id === undefined) return;
    this.#openCalls.set(id, { lines, at: lines.length - 1 });
    const [oldest] = this.#openCalls.keys();
    if (this.#openCalls.size > maxOpenCalls && oldest !== undefined) this.#openCalls.delete(oldest);
  }

  #markFailed(id: string): void {
    const call = this.#openCalls.get(id);
    if (call === undefined) return;
    this.#openCalls.delete(id);
    call.lines[call.at] += " → failed";
  }
}

function messageText(text: string): string {
  const masked = maskBeginning(text.trim(), maxTextLength);
  if (masked.length <= maxTextLength) return masked;
  const left = text.trim().length - maxTextLength;
  return `${masked.slice(0, maxTextLength).toWellFormed()}… (about ${left.toLocaleString("en")} characters left out)`;
}

function callText(name: string, input: unknown): string {
  const shown = typeof input === "string" ? maskAndCut(input, maxInputLength) : condenseArgs(input ?? {});
  const line = cutText(shown, maxInputLength);
  return `${cutText(maskAndCut(name, 100), 100)}${line === "{}" || line === "" ? "" : ` ${line}`}`;
}
