/** What is shorter than this is no secret, and to strike it out would mangle everything else. */
const shortestSecret = 6;

/** Strikes keys out of whatever is written, wherever a model, an endpoint or a tool may have repeated them. */
export function createRedactor(keys: readonly (string | undefined)[]): (text: string) => string {
  const secrets = [...new Set(keys.filter((key) => key !== undefined))].filter(
    ({ length }) => length >= shortestSecret,
  );
  // In JSON a key may be written otherwise.
  const forms = secrets.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]).sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
}

/** An error that nobody foresaw may hold a key too. */
export function redactError(error: unknown, redact: (text: string) => string): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? redact(error) : error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}
