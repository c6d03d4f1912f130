import type { Offer } from "./offer.ts";

/** A kind of text that attacks have and real descriptions do not. Each pattern takes linear time. */
interface Rule {
  /** The finding as a noun phrase. */
  readonly finding: string;
  readonly pattern: RegExp;
  /** Whether results are searched for it too. The other texts are common in files and web pages. */
  readonly inResults?: true;
}

const fewWords = String.raw`(?:\s+\S{1,30}){0,4}?\s+`;

const rules: readonly Rule[] = [
  {
    finding: "hidden Unicode tag characters",
    // A black flag begins the flags of regions, which are spelled with these characters.
    pattern: /(?<![\u{1F3F4}\u{E0020}-\u{E007E}])[\u{E0000}-\u{E007F}]{2}/u,
    inResults: true,
  },
  {
    finding: "runs of invisible characters",
    pattern: /(?:[\u200B-\u200F]|[\u2060-\u2064]|[\u{E0100}-\u{E01EF}]){4}/u,
    inResults: true,
  },
  { finding: "bidirectional control characters", pattern: /[\u202A-\u202E\u2066-\u2069]/u },
  { finding: "control characters, as terminal escape sequences have", pattern: /(?![\t\n\r])\p{Cc}/u },
  { finding: "an HTML comment", pattern: /<!--/u },
  {
    finding: "a tag that poses as instructions",
    pattern: /<\/?(?:important|system|instructions?|hidden|critical|system[-_ ]prompt)>/iu,
    inResults: true,
  },
  {
    finding: "words that tell a model to ignore earlier instructions",
    pattern: new RegExp(
      String.raw`\b(?:ignore|disregard|forget|override)${fewWords}(?:(?:previous|prior|above|earlier|preceding|existing)\s+(?:\S{1,30}\s+)?(?:instructions?|prompts?|rules?|messages?|guidelines?)|you\s+(?:were|have\s+been)\s+told)\b`,
      "iu",
    ),
    inResults: true,
  },
  {
    finding: "words that tell a model to keep something from the user",
    pattern: new RegExp(
      String.raw`\b(?:do\s+not|don't|never|without)\s+(?:ever\s+)?(?:tell|inform|notify|alert|mention)(?:ing)?\b(?:\s+\S{1,30}){0,4}?\s+users?\b`,
      "iu",
    ),
    inResults: true,
  },
  {
    finding: "instructions about other tools",
    pattern:
      /\b(?:before|after|when|whenever|instead\s+of)\s+(?:using|calling|invoking|running)\s+(?:any|every|all|each)\s+(?:other\s+)?tools?\b/iu,
  },
  {
    finding: "files that hold secrets",
    pattern: /~\/\.(?:ssh|aws|gnupg|netrc|kube)\b|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)\b/iu,
  },
  { finding: "a long encoded text", pattern: /[A-Za-z0-9+/_-]{256}/u },
  { finding: "an image from elsewhere", pattern: /!\[[^\]\n]{0,200}\]\(https?:/iu },
];

/** Suspicious texts in a server's description of a tool or prompt. */
export interface OfferWarning {
  readonly kind: "tool" | "prompt";
  /** The server's name for it. */
  readonly name: string;
  readonly findings: readonly string[];
}

const maxDescribedCharacters = 50_000;
const maxResultCharacters = 100_000;

/** Searches every text of an offer that a model may read. */
export function offerWarnings({ tools, prompts }: Offer): readonly OfferWarning[] {
  const all = [...tools.map((one) => ["tool", one] as const), ...prompts.map((one) => ["prompt", one] as const)];
  return all.flatMap(([kind, one]) => {
    const findings = findingsIn(textsOf(one, maxDescribedCharacters), rules);
    return findings.length === 0 ? [] : [{ kind, name: one.name, findings }];
  });
}

/** What is suspicious in a text that a model reads as a description. */
export function textFindings(text: string): readonly string[] {
  return findingsIn(text, rules);
}

/** Suspicious texts in a result. */
export function resultFindings(texts: readonly string[]): readonly string[] {
  const starts = texts.map((text) => text.slice(0, maxResultCharacters));
  return findingsIn(starts.join("\n").slice(0, maxResultCharacters), resultRules);
}

const resultRules = rules.filter(({ inResults }) => inResults === true);

function findingsIn(text: string, wanted: readonly Rule[]): readonly string[] {
  return wanted.filter(({ pattern }) => pattern.test(text)).map(({ finding }) => finding);
}

/** Every text in a value, including field names, one per line. */
function textsOf(value: unknown, max: number): string {
  const texts: string[] = [];
  let left = max;
  const open: unknown[] = [value];
  while (open.length > 0 && left > 0) {
    const next = open.pop();
    if (typeof next === "string") {
      texts.push(next.slice(0, left));
      left -= next.length;
    } else if (next !== null && typeof next === "object") {
      for (const [name, inner] of Object.entries(next)) if (name !== "icons") open.push(inner, name);
    }
  }
  return texts.join("\n");
}
