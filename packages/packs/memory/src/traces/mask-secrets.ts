const mask = "***";

/** Names of fields whose value is a secret, whatever it looks like. */
const secretName =
  /passw|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credential|cookie|^auth$|^bearer$|^pin$|^otp$|^pwd$/i;

/** Counts of tokens are none. */
const countName = /tokens$/i;

/** What secrets look like wherever they stand, also where the text ends within one. Each is known by the form that its issuer gives it. */
const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]{8,}(?:\.[\w-]*|$)|$)/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bsk-[\w-]{16,}/g,
  /\b[rs]k_(?:live|test)_\w{10,}/g,
  /\bxox[abeoprs]-[\w-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bnpm_\w{30,}/g,
  /\bhf_\w{20,}/g,
  /\bya29\.[\w-]{20,}/g,
];

/** `Bearer …`, the password in an address, and `password=…` in a text keep what stands before the secret. */
const bearer = /\b(bearer|basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi;
const address = /(:\/\/[^\s:@/]*):[^\s@/]+@/g;
const assignment =
  /(["']?\b[\w-]*(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization)["']?\s*[:=]\s*)(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s,;&"'}]+)/gi;

/** What every one of these has in it, in any case of letters: most texts have none of it, and are told by one look. */
const hint =
  /-----begin|eyj|gh[oprsu]_|github_pat|glpat-|sk-|[rs]k_|xox|a[ks]ia|aiza|npm_|hf_|ya29|bearer|basic|:\/\/[^\s:@/]*:|pass(?:w|phrase)|secret|token|key|authorization/i;

/** A text without what looks like a secret. */
export function maskText(text: string): string {
  if (!hint.test(text)) return text;
  const shaped = shapes.reduce((masked, shape) => masked.replace(shape, mask), text);
  return shaped
    .replace(bearer, `$1 ${mask}`)
    .replace(address, `$1:${mask}@`)
    .replace(assignment, (all, before: string) => (/tokens["']?\s*[:=]\s*$/i.test(before) ? all : `${before}${mask}`));
}

/** Whether a field of this name is kept from view. */
export function isSecretName(name: string, value: unknown): boolean {
  return secretName.test(name) && !(countName.test(name) && typeof value === "number");
}

export { mask as secretMask };
