import { createHash } from "node:crypto";

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
