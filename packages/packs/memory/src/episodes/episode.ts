import { createHash } from "node:crypto";
import { defineKind, type Change, type Kind, type Store, type Stored } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { z } from "zod";

const schema = () =>
  z.object({
    client: z.string().min(1).max(40).describe("the program that wrote the transcript: claude-code, codex"),
    session: z.string().min(1).max(200).describe("the client's id of the session"),
    title: z.string().min(1).max(200).describe("the session's name, or the beginning of its first request"),
    folder: z.string().max(4_000).optional().describe("the project's folder"),
    from: z.string().max(40).optional().describe("time of the first message"),
    until: z.string().max(40).optional().describe("time of the last message"),
    parts: z.int().min(1).describe("number of its parts"),
    cut: z.string().max(200).optional().describe("which parts were left out"),
  });

export type Episode = z.output<ReturnType<typeof schema>>;

const partSchema = () =>
  z.object({
    episode: z.string().max(40).describe("the id of its episode"),
    part: z.int().min(1).describe("its number in the session"),
    client: z.string().max(40),
    role: z.enum(["user", "assistant", "tools", "summary"]).describe("tools: names and short inputs of calls"),
    at: z.string().max(40).optional().describe("when it was written"),
    text: z.string().min(1).max(5_000).describe("cut, with secrets masked"),
  });

export type EpisodePart = z.output<ReturnType<typeof partSchema>>;

/** The episode part kind: a message of an imported session, or several calls of tools. */
export const episodePart: Kind<ReturnType<typeof partSchema>> = defineKind({
  name: "episode_part",
  description: "A message or tool calls of an imported session.",
  schema: partSchema,
  // Only an import writes episodes.
  sealed: true,
  indexes: [["episode", "part"], "at"],
  text: ["text"],
  meaning: ["text"],
  summary: ["episode", "part", "role", "at", "text"],
});

/** The episode kind: an imported session of an agent. Closing or deleting an episode also closes or deletes its parts. */
export const episode: Kind<ReturnType<typeof schema>> = defineKind({
  name: "episode",
  description: "A session of an agent that was imported from its transcript.",
  schema,
  sealed: true,
  indexes: ["session", "from"],
  text: ["title", "folder"],
  rule,
  keywords: ["session", "transcript", "conversation"],
});

/** Iterates over the parts of an episode, closed or not, in their order. */
export function everyEpisodePart(store: Store, id: string): AsyncGenerator<Stored<EpisodePart>> {
  const query = { filter: { episode: id }, sort: ["part"], includeClosed: true, skipDamaged: true, pageSize: 500 };
  return everyRecord(store, episodePart, query);
}

async function rule({ operation, id, store }: Change<Episode>): Promise<void> {
  if (operation === "put") return;
  const parts = await Array.fromAsync(everyEpisodePart(store, id), (part) => part.id);
  for (const part of parts) await store[operation](episodePart, part);
}

/** The id of an episode, from its client and session. So a session is stored once. */
export function episodeId(client: string, session: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([client, session]))
    .digest("hex");
  return BigInt(`0x${hash}`).toString(36).slice(0, 16);
}

/** The id of an episode's part, such as `5k0f2m9x1q7c3v8b.12`. */
export function episodePartId(id: string, part: number): string {
  return `${id}.${part}`;
}
