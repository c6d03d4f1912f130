import type { Stored } from "@toolpacks/core";
import { excerpt } from "../knowledge/excerpt.ts";
import type { EpisodePart } from "./episode.ts";

/** The word before a part's text, by its role. */
const verbs = { user: "asked", assistant: "answered", tools: "called", summary: "summary" } as const;

export interface ItemDescription {
  /** The stems of the question's words. */
  readonly wanted: ReadonlySet<string>;
  /** Workspace labels by id, if several workspaces were searched. */
  readonly labels: ReadonlyMap<string, string> | undefined;
}

/** Parts of episodes as `memory_recall` answers them: who said it, and a passage. */
export function describeParts(parts: readonly Stored<EpisodePart>[], { wanted, labels }: ItemDescription) {
  return parts.map(({ id, data: { role, client, at, text }, workspace }) => ({
    id,
    kind: "episode" as const,
    text: `${verbs[role]}: ${excerpt(text, wanted)}`,
    source: client,
    since: at,
    workspace: labels?.get(workspace),
  }));
}
