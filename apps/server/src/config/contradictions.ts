import { ConfigurationError } from "../configuration-error.ts";
import type { Setting, Settings, Source } from "./settings.ts";

type Decided = Pick<Settings, "surface" | "expose" | "deny" | "facet" | "write" | "readOnly">;

/** Two settings, one of which makes the other ineffective. */
interface Contradiction {
  readonly winner: Setting<unknown>;
  readonly loser: Setting<unknown>;
  /** The ineffective names of a list. Undefined: the whole setting is ineffective. */
  readonly names?: readonly string[];
  /** What the winner does, as a verb phrase for the message. */
  readonly effect: string;
  /** Whether nothing could be served. Such settings are refused wherever they come from. */
  readonly leavesNothing?: boolean;
}

const precedence: readonly Source[] = ["flag", "environment", "file", "default"];

/**
 * Finds settings that have no effect because of another setting. A setting with higher precedence is a normal override: it causes no
 * warning.
 *
 * @throws ConfigurationError that names the settings to drop, when both are flags or nothing could be served
 */
export function contradictions(settings: Decided): readonly string[] {
  const found = pairs(settings).filter(
    ({ winner, loser, leavesNothing }) =>
      leavesNothing === true || precedence.indexOf(winner.source) >= precedence.indexOf(loser.source),
  );
  return found.map(({ winner, loser, names, effect, leavesNothing = false }) => {
    const subject = names === undefined ? loser.origin : `${names.join(", ")} in ${loser.origin}`;
    const message = `${subject} has no effect: ${winner.origin} ${effect}`;
    const areFlags = winner.source === "flag" && loser.source === "flag";
    if (!areFlags && !leavesNothing) return message;
    throw new ConfigurationError(`${message}; drop ${subject}, or drop ${winner.origin} to use it`);
  });
}

function pairs({ surface, expose, deny, facet, write, readOnly }: Decided): readonly Contradiction[] {
  const isSet = ({ source }: Setting<unknown>) => source !== "default";
  const found: Contradiction[] = [];
  if (readOnly.value && write.value) {
    found.push({ winner: readOnly, loser: write, effect: "refuses every tool that mutates" });
  }
  if (facet.value !== undefined) {
    const effect = "lists the tools of one pack directly";
    if (isSet(surface) && surface.value !== "direct") found.push({ winner: facet, loser: surface, effect });
    if (isSet(expose)) found.push({ winner: facet, loser: expose, effect });
    if (deny.value.includes(facet.value)) {
      found.push({ winner: deny, loser: facet, effect: `denies ${facet.value}`, leavesNothing: true });
    }
  }
  const denied = (expose.value ?? []).filter((name) => deny.value.includes(name));
  if (denied.length > 0 && facet.value === undefined) {
    found.push({ winner: deny, loser: expose, names: denied, effect: "denies it" });
  }
  return found;
}
