const mask = "***";

/** Words in the name of a field, variable or flag whose value is a secret. */
const secretWord =
  "(?:passw(?:or)?d|passphrase|secret[-_]?key(?:[-_]?base)?|secret|token|credential|api[-_]?key|access[-_]?key|account[-_]?key|private[-_]?key|signing[-_]?key|encryption[-_]?key)";

/** The name of a field whose value is always a secret. */
const secretName = new RegExp(`${secretWord}|passw|authorization|cookie|^auth$|^bearer$|^pin$|^otp$|^pwd$`, "i");

/** The name of a number of tokens, which is not a secret. */
const countName = /tokens$/i;

/**
 * The forms of secrets, as their issuers define them. A secret that the end of the text cuts off matches too. Every expression takes linear time.
 */
const shapes: readonly RegExp[] = afterEscapes([
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bsk-[\w-]{16,}/g,
  /\b[rs]k_(?:live|test)_\w{10,}/g,
  /\bxox[abeoprs]-[\w-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bnpm_\w{30,}/g,
  /\btp_[0-9a-f]{16}_[\w-]{20,}/g,
  /\bhf_\w{20,}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bSG\.[\w-]{10,}(?:\.[\w-]*)?/g,
  /(?<!\d)\d{6,12}:AA[\w-]{20,}/g,
  /\b(?:xapp-|GOCSPX-|AGE-SECRET-KEY-|do[por]_v1_|pypi-AgE|whsec_|shp(?:at|ca|pa|ss)_)[\w-]{16,}/g,
  /\b(?:gsk_|xai-|lin_api_|dckr_pat_|sbp_|figd_|ntn_)[\w-]{16,}/g,
]);

/** Lets a word begin after an escaped line break or tab, as in JSON text: `\nghp_…`. */
function afterEscapes(expressions: readonly RegExp[]): readonly RegExp[] {
  const start = String.raw`(?:\b|(?<=\\[nrt]))`;
  return expressions.map(({ source, flags }) => new RegExp(source.replace(/^\\b/, start), flags));
}

/** A quoted value after a name. The quotes may be escaped. */
const quoted = String.raw`\\?"[^"]*(?:"|$)|\\?'[^']*(?:'|$)`;

/** `Bearer …`, the password in a URL, and the signature in a query string. The text before the secret is kept. */
const bearer = /\b(bearer|basic)\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}/gi;
const address = /(:\/\/[^\s:@/]*):[^\s@/]+@/g;
const signature = /([?&]sig=)[^\s&"']+/gi;
/** The separator of two quoted texts in a list, such as `["Cookie", "…"]`. */
const listed = String.raw`\\?["'][ \t]*,[ \t]*(?=\\?["'])`;
/** Headers whose value ends at the end of the line or of the quoted text. */
const header = new RegExp(
  String.raw`(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(\\?["']?[ \t]*[:=][ \t]*|${listed})(?:${quoted}|[^\r\n"']+)`,
  "gi",
);
/** Excludes errors such as `password: expected string`, where the words after the name are not its value. */
const notErrorText = String.raw`(?!(?:expected|unknown|required|missing|too (?:long|short|large|small))\b)`;
const assignment = new RegExp(
  String.raw`(?<![\w-])([\w-]*${secretWord}\\?["']?\s*[:=]\s*)${notErrorText}(?:${quoted}|[^\s,;&"'}]+)`,
  "gi",
);
/** `DB_PASS=…` and other variables whose names end with a word that is too common to mask it everywhere. */
const variable = new RegExp(
  String.raw`(?<![A-Z0-9_-])([A-Z][A-Z0-9_]*_(?:PASS|PWD|KEY)[ \t]*=[ \t]*)(?:${quoted}|[^\s,;&"'}]+)`,
  "g",
);
/** `--password x`, where the value is the next word or the next text of a list. */
const flag = new RegExp(
  String.raw`(?<![\w-])(--?[\w-]*${secretWord})([ \t]+|${listed})(?:${quoted}|[^\s"'-][^\s"']*)`,
  "gi",
);
/** `curl -u user:password`; two numbers are a user and a group. */
const userFlag =
  /(?<![\w-])((?:-[a-z]{0,3}u|--(?:proxy-)?user)[ \t=]*)(\\?["']?)([^\s:"'\\]{1,200}):(?!\/\/|\d+(?![^\s"'\\]))[^\s"'\\]+/gi;
/** `"key": "DB_PASSWORD", "value": "…"` in JSON text. */
const pair = new RegExp(
  String.raw`(\\?"(?:key|name|variable|header|field)\\?"\s*:\s*\\?"[\w.-]{0,100}(?:${secretWord}|cookie|authorization)[\w.-]{0,100}\\?"\s*,\s*\\?"value\\?"\s*:\s*)(?:${quoted})`,
  "gi",
);

/** Matches every text that one of these expressions could match. Most texts fail this one test and need no other. */
const hint =
  /-----begin|eyj|gh[oprsu]_|github_pat|glpat-|sk-|[rs]k_|xox|a[ks]ia|aiza|npm_|tp_[0-9a-f]{16}|hf_|ya29|sg\.|:aa|xapp-|gocspx-|do[por]_v1_|pypi-age|whsec_|shp(?:at|ca|pa|ss)_|gsk_|xai-|lin_api_|dckr_pat_|sbp_|figd_|ntn_|_pass|_pwd|sig=|bearer|basic|:\/\/[^\s:@/]*:|pass(?:w|phrase)|secret|token|credential|key|authorization|cookie|-[a-z]{0,3}u|--(?:proxy-)?user/i;

/** Secret names of fields that `hint` does not cover. */
const nameHint = /auth|bearer|"(?:pin|otp|pwd)\\?"/i;

/** Whether JSON may contain a secret. Faster than masking it. */
export function mayHoldSecret(json: string): boolean {
  return hint.test(json) || nameHint.test(json);
}

/** Masks everything in a text that looks like a secret. Takes linear time. */
export function maskText(text: string): string {
  if (!hint.test(text)) return text;
  const shaped = shapes.reduce((masked, shape) => masked.replace(shape, mask), text);
  return shaped
    .replace(pair, `$1"${mask}"`)
    .replace(header, `$1$2${mask}`)
    .replace(bearer, `$1 ${mask}`)
    .replace(address, `$1:${mask}@`)
    .replace(signature, `$1${mask}`)
    .replace(userFlag, `$1$2$3:${mask}`)
    .replace(flag, `$1$2${mask}`)
    .replace(variable, `$1${mask}`)
    .replace(assignment, (all, before: string) =>
      /tokens\\?["']?\s*[:=]\s*$/i.test(before) ? all : `${before}${mask}`,
    );
}

/** Names of a field that names the `value` next to it. */
const labelNames = ["key", "name", "variable", "header", "field"];

/** Whether a field of an object is a secret, by its own name or by the name next to it as in `{key: "DB_PASSWORD", value}`. */
export function isSecretField(object: object, name: string): boolean {
  const value: unknown = Reflect.get(object, name);
  if (value === null || value === undefined || typeof value === "boolean") return false;
  if (secretName.test(name)) return !(countName.test(name) && typeof value === "number");
  if (name !== "value" && name !== "Value") return false;
  return labelNames.some((label) => {
    const named: unknown = Object.hasOwn(object, label) ? Reflect.get(object, label) : undefined;
    return typeof named === "string" && named.length <= 200 && secretName.test(named);
  });
}

const secretFlag = new RegExp(String.raw`^--?[\w-]*${secretWord}$`, "i");
const userFlagOnly = /^(?:-[a-z]{0,3}u|--(?:proxy-)?user)$/i;
const userAndPassword = /^[^:]+:(?!\/\/|\d+$)/;

/** A header in a list of names and values. */
const secretHeader = new RegExp(
  String.raw`^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]*(?:${secretWord}))$`,
  "i",
);

/** Masks an array item that follows a flag such as `--password`, or the name of a header. Undefined for any other item. */
export function maskArgument(flagBefore: unknown, item: unknown): string | undefined {
  if (typeof flagBefore !== "string" || typeof item !== "string" || flagBefore.length > 200) return undefined;
  if (secretFlag.test(flagBefore) || secretHeader.test(flagBefore)) return mask;
  const isLogin = userFlagOnly.test(flagBefore) && userAndPassword.test(item);
  return isLogin ? `${item.slice(0, item.indexOf(":"))}:${mask}` : undefined;
}

/** Masks the secrets of a JSON value: those in its texts, and the values of fields with a secret name. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item, at) => maskArgument(value[at - 1], item) ?? maskValue(item));
  const fields = Object.entries(value).map(
    ([name, inner]) => [maskText(name), isSecretField(value, name) ? mask : maskValue(inner)] as const,
  );
  return Object.fromEntries(fields);
}

export { mask as secretMask };
