import { createHash } from "node:crypto";

/** Maximum sessions, and requests of each, that are remembered. The oldest are dropped first. */
const maxSessions = 500;
const maxRequests = 200;

/** Detects repeated requests of a session. Only hints depend on it, so each process keeps its own. */
export interface Repetition {
  /** Whether this is the second time. The third time gets no hint any more. */
  isSecond(session: string, request: unknown): boolean;
}

export function createRepetition(): Repetition {
  const sessions = new Map<string, Map<string, number>>();
  return {
    isSecond(session, request) {
      const requests = sessions.get(session) ?? new Map<string, number>();
      // A hash as key, since a request may be megabytes long.
      const key = createHash("sha256").update(JSON.stringify(request)).digest("base64");
      const times = (requests.get(key) ?? 0) + 1;
      renew(sessions, { key: session, value: requests, maxSize: maxSessions });
      renew(requests, { key, value: times, maxSize: maxRequests });
      return times === 2;
    },
  };
}

/** Sets the newest entry, and drops the oldest beyond the limit. */
function renew<T>(map: Map<string, T>, { key, value, maxSize }: { key: string; value: T; maxSize: number }): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxSize) map.delete(map.keys().next().value ?? "");
}
