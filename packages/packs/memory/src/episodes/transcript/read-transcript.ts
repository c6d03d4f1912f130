import { definedOnly, ToolError } from "@toolpacks/core";
import { cutText, maskAndCut } from "../../cut-text.ts";
import type { Episode } from "../episode.ts";
import { createClaudeCodeReader, isClaudeCodeRecord } from "./claude-code.ts";
import { createCodexReader, isCodexRecord } from "./codex.ts";
import { PartCollector, type SessionPart } from "./part-collector.ts";
import { textOf, type PartEvent, type RecordReader, type SessionEvent } from "./session-event.ts";
import type { TranscriptLine } from "./transcript-lines.ts";

/** Maximum number of broken lines that are named. */
const maxNamed = 20;
const maxTitleLength = 120;

/** A line of a transcript that could not be read. */
export interface BrokenLine {
  readonly line: number;
  readonly problem: string;
}

/** What a transcript says, in the form in which it is stored. */
export interface Transcript {
  readonly episode: Episode;
  readonly parts: readonly SessionPart[];
  /** The first 20 of them. */
  readonly brokenLines: readonly BrokenLine[];
  readonly brokenLineCount: number;
}

/**
 * Reads a transcript of Claude Code or Codex. Secrets are masked, and long texts and sessions are cut. Broken lines are skipped and counted.
 *
 * @throws ToolError `invalid_input` for a file of another format, or one without messages
 */
export async function readTranscript(lines: AsyncIterable<TranscriptLine>): Promise<Transcript> {
  const session = new SessionReader();
  const brokenLines: BrokenLine[] = [];
  let brokenLineCount = 0;
  for await (const line of lines) {
    if ("record" in line) {
      session.read(line.record);
      continue;
    }
    brokenLineCount += 1;
    if (brokenLines.length < maxNamed) brokenLines.push({ line: line.number, problem: line.problem });
  }
  return { ...session.finish(), brokenLines, brokenLineCount };
}

class SessionReader {
  #reader: RecordReader | undefined;
  /** Records before the first one that shows which client wrote the file. */
  #unread: object[] = [];
  #session: Extract<SessionEvent, { type: "session" }> | undefined;
  #title: Extract<SessionEvent, { type: "title" }> | undefined;
  /** The first request. It is the title of a session without a name. */
  #request: string | undefined;
  readonly #parts = new PartCollector();
  #from: string | undefined;
  #until: string | undefined;

  read(record: object): void {
    if (this.#reader !== undefined) return this.#apply(this.#reader, record);
    this.#unread.push(record);
    this.#reader = createReader(record);
    if (this.#reader === undefined) {
      if (this.#unread.length > 1_000) throw unknownFormat();
      return;
    }
    for (const one of this.#unread) this.#apply(this.#reader, one);
    this.#unread = [];
  }

  finish(): Pick<Transcript, "episode" | "parts"> {
    if (this.#reader === undefined || this.#session === undefined) throw unknownFormat();
    const { parts, cut } = this.#parts.finish();
    if (parts.length === 0) throw new ToolError("invalid_input", "the transcript has no messages of its session");
    const { session, folder } = this.#session;
    const title = this.#title?.text ?? this.#request ?? parts[0]?.text ?? "";
    const episode = definedOnly({
      client: this.#reader.client,
      session: maskAndCut(session, 200),
      title: cutText(maskAndCut(title, 1_000), maxTitleLength) || "(no title)",
      folder: folder && maskAndCut(folder, 4_000),
      from: this.#from,
      until: this.#until,
      parts: parts.length,
      cut,
    });
    return { episode, parts };
  }

  #apply(reader: RecordReader, record: object): void {
    const at = timeOf(record);
    for (const event of reader.read(record)) {
      if (event.type === "session") this.#session ??= event;
      else if (event.type === "title") this.#title = (this.#title?.rank ?? 0) > event.rank ? this.#title : event;
      else this.#addPart(event, at);
    }
  }

  #addPart(event: PartEvent, at: string | undefined): void {
    this.#parts.add(event, at);
    if (event.type === "message" && event.role === "user") this.#request ??= event.text.slice(0, 1_000);
    if (at === undefined) return;
    if (this.#from === undefined || at < this.#from) this.#from = at;
    if (this.#until === undefined || at > this.#until) this.#until = at;
  }
}

function createReader(record: object): RecordReader | undefined {
  if (isCodexRecord(record)) return createCodexReader();
  return isClaudeCodeRecord(record) ? createClaudeCodeReader() : undefined;
}

/** The time of a record, as ISO 8601 in UTC. */
function timeOf(record: object): string | undefined {
  const text = textOf(record, "timestamp");
  const time = text === undefined || text.length > 40 ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function unknownFormat(): ToolError {
  return new ToolError(
    "invalid_input",
    "expected a transcript of Claude Code or Codex: no line names a session",
    "Claude Code keeps them in ~/.claude/projects, Codex in ~/.codex/sessions.",
  );
}
