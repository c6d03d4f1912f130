/** The bearer token of a request, or why there is none. */
export type Bearer = { readonly token: string } | { readonly problem: "missing" | "malformed" };

/** Maximum length of an `Authorization` header, in characters. */
const maxLength = 8_192;

/** The scheme in any case, and a token of the characters that RFC 6750 allows: no comma, space or control character. */
const bearer = /^Bearer +([\w.~+/-]+=*)$/i;

/** Reads the bearer token of a request from its only `Authorization` header. Another scheme counts as no token. */
export function readBearer(headers: NodeJS.Dict<string | string[]>): Bearer {
  const values = [headers["authorization"] ?? []].flat();
  const [value] = values;
  if (value === undefined) return { problem: "missing" };
  if (values.length > 1 || value.length > maxLength) return { problem: "malformed" };
  const token = bearer.exec(value)?.[1];
  if (token !== undefined) return { token };
  return { problem: /^Bearer\b/i.test(value) || !isOtherScheme(value) ? "malformed" : "missing" };
}

function isOtherScheme(value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+ +[\x20-\x7e]+$/.test(value);
}
