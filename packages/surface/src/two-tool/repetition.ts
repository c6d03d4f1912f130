import { createHash } from "node:crypto";

/** How many sessions are remembered, and how many requests of each; the oldest go first. */
const maxSessions = 500;
const maxRequests = 200;

/** Tells what a session does again. Kept by each process for itself: it serves hints, and nothing depends on it. */
export interface Repetition {
  /** True when it is the second time. The first is new, and a third was told already. */
  isSecond(session: string, request: unknown): boolean;
}

export function createRepetition(): Repetition {
  const sessions = new Map<string, Map<string, number>>();
  return {
    isSecond(session, request) {
      const requests = sessions.get(session) ?? new Map<string, number>();
      // A request may be megabytes long.
      const key = createHash("sha256").update(JSON.stringify(request)).digest("base64");
      const times = (requests.get(key) ?? 0) + 1;
      renew(sessions, { key: session, value: requests, most: maxSessions });
      renew(requests, { key, value: times, most: maxRequests });
      return times === 2;
    },
  };
}

/** Makes an entry the youngest, and drops the oldest beyond the most. */
function renew<T>(map: Map<string, T>, { key, value, most }: { key: string; value: T; most: number }): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value ?? "");
}
