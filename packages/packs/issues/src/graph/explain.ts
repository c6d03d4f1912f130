import { describeWait, type Gate } from "../gate.ts";
import { isReady, type FoundReadiness, type IssueFacts } from "./readiness.ts";

export interface Explanation {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** @param now ISO 8601 in UTC */
export function explain(
  issue: IssueFacts & Gate,
  found: FoundReadiness & { readonly waits?: readonly string[] },
  now: string,
): Explanation {
  const ready = isReady(found, now);
  if (ready) return { ready, reasons: ["open, and nothing holds it back"] };
  if (found.state === "closed") return { ready, reasons: [`its status is ${issue.status}`] };
  const { blockers, under, from, waits = [] } = found;
  const parents = blockers.filter((id) => waits.includes(id));
  const direct = blockers.filter((id) => !waits.includes(id));
  const reasons = [
    ...(issue.status === "open" ? [] : [`its status is ${issue.status}`]),
    ...(direct.length === 0 ? [] : [`blocked by ${direct.join(", ")}`]),
    ...(parents.length === 0 ? [] : [`waits for the children of ${parents.join(", ")}`]),
    ...(under.length === 0 ? [] : [`under ${under.join(", ")}, blocked or deferred`]),
    ...(found.state === "waiting" ? [`a gate, which waits ${describeWait(issue, now)}`] : []),
    ...(from > now ? [`${found.until === from ? "a gate holds it" : "deferred"} until ${from}`] : []),
    ...(issue.pinned === true ? ["pinned"] : []),
    ...(issue.ephemeral === true ? ["ephemeral"] : []),
  ];
  return { ready, reasons };
}
