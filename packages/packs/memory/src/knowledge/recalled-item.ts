import { quoteName, visibleText, type Stored } from "@toolpacks/core";
import { textWords } from "@toolpacks/store";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import type { EpisodePart } from "../episodes/episode.ts";
import type { StoredObservation } from "./observation.ts";

/** An observation or a part of an episode, as `memory_recall` answers it. */
export const recalledItem = z.object({
  id: z.string(),
  kind: z.literal("episode").optional().describe("a part of an imported session"),
  text: z.string(),
  about: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  source: z.string().optional(),
  episode: z.string().optional().describe("the session that it is known from"),
  since: z.string().optional(),
  until: z.string().optional().describe("it no longer holds since then"),
  was: z.string().optional().describe("with history: what it superseded"),
  workspace: z.string().optional(),
});

export type RecalledItem = z.input<typeof recalledItem>;

export interface Description {
  /** The stems of the question's words. */
  readonly wanted: ReadonlySet<string>;
  /** Workspace labels by id, if several workspaces were searched. */
  readonly labels: ReadonlyMap<string, string> | undefined;
  /** Whether the caller asked for what no longer holds. */
  readonly history: boolean;
}

export function describeObservation(
  { id, data, workspace }: StoredObservation,
  { wanted, labels, history }: Description,
): RecalledItem {
  const { since, written, until, was } = data;
  // The day says nothing if a current fact holds since it was written, or a past fact ended on the same day.
  const isPlain = since?.slice(0, 10) === (until ?? written)?.slice(0, 10);
  return {
    ...data,
    id,
    text: excerpt(data.text, wanted),
    since: isPlain ? undefined : since,
    was: history && was !== undefined ? cutText(was, 120) : undefined,
    workspace: labels?.get(workspace),
  };
}

/** The word before a part's text, by its role. */
const verbs = { user: "asked", assistant: "answered", tools: "called", summary: "summary" } as const;

export function describePart(
  { id, data: { role, client, at, text }, workspace }: Stored<EpisodePart>,
  { wanted, labels }: Description,
): RecalledItem {
  return {
    id,
    kind: "episode",
    text: `${verbs[role]}: ${excerpt(text, wanted)}`,
    source: client,
    since: at,
    workspace: labels?.get(workspace),
  };
}

export function renderItem({ id, kind, text, source, episode, about, ...item }: RecalledItem): string {
  const { tags: tagged, since: from, until: to, was, workspace } = item;
  const named = about?.filter((name) => !text.includes(name)) ?? [];
  const details = [
    ...(kind === undefined ? [] : [`${kind} of ${source}`]),
    ...(named.length > 0 ? [`about ${named.map(quoteName).join(", ")}`] : []),
    ...(tagged === undefined || tagged.length === 0 ? [] : [tagged.map((tag) => `#${quoteName(tag)}`).join(" ")]),
    ...(from === undefined ? [] : [`${to === undefined && kind === undefined ? "since " : ""}${from.slice(0, 10)}`]),
    ...(to === undefined ? [] : [`no longer since ${to.slice(0, 10)}`]),
    ...(was === undefined ? [] : [`was: ${visibleText(was)}`]),
    ...(episode === undefined ? [] : [`from episode ${quoteName(episode)}`]),
    ...(workspace === undefined ? [] : [`in ${quoteName(workspace)}`]),
  ];
  return `${id} ${visibleText(text)}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
}

const maxLength = 300;
const step = maxLength / 3;

/** The form of a text in a list: the whole text if it is short, otherwise the passage with the most wanted words. */
function excerpt(text: string, wanted: ReadonlySet<string>): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
  if (line.length <= maxLength) return line;
  let best = { from: 0, last: 0, hits: -1 };
  for (let from = 0; from < Math.min(line.length, 200_000); from += step) {
    const words = textWords(line.slice(from, from + maxLength), wanted);
    const hits = new Set(words.filter((word) => wanted.has(word))).size;
    if (hits > best.hits) best = { from, last: from, hits };
    else if (hits === best.hits && from === best.last + step) best.last = from;
    else if (best.hits === wanted.size) break;
  }
  // The middle of the best passages, so that the words have context on both sides.
  const start = Math.floor((best.from + best.last) / 2);
  const passage = line.slice(start, start + maxLength).toWellFormed();
  return `${start > 0 ? "…" : ""}${passage}${start + maxLength < line.length ? "…" : ""}`;
}
