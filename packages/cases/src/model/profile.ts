import { z } from "zod";
import { describeIssues } from "@toolpacks/core";
import { CaseError } from "../case-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a model is to be had. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  readonly model: string;
  /** Never to be shown. */
  readonly apiKey?: string;
  readonly temperature?: number;
}

/** What a command line says in place of the environment. */
export interface ProfileOverrides {
  readonly model?: string;
  readonly temperature?: number;
}

/** The addresses of endpoints that go by a name. */
const providers: ReadonlyMap<string, string> = new Map([
  ["openai", "https://api.openai.com/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ["mistral", "https://api.mistral.ai/v1"],
  ["groq", "https://api.groq.com/openai/v1"],
  ["ollama", "http://localhost:11434/v1"],
  ["lmstudio", "http://localhost:1234/v1"],
]);
const anyProvider = "openai-compatible";

const hasNoUser = (url: string) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === "");

/** By the endings of the variables that say it. */
const settings = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/, error: "expected an address: http://localhost:11434/v1" })
    .refine(hasNoUser, "expected an address without user and password"),
  MODEL: z.string().max(200),
  TEMPERATURE: z.coerce.number("expected a number from 0 to 2").min(0).max(2).optional(),
  // What cannot stand in a header would be repeated in an error.
  API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, "expected letters, digits and signs, without spaces")
    .optional(),
});

/**
 * Reads `<PROFILE>_PROVIDER`, `_BASE_URL`, `_MODEL`, `_API_KEY` and `_TEMPERATURE`. `_MODEL_URL` and `_MODEL_KEY` mean the same as
 * `_BASE_URL` and `_API_KEY`, so that the profile `toolpacks` is the endpoint that workflows ask.
 *
 * @throws CaseError that names the variable and what would be accepted
 */
export function readProfile(name: string, environment: Environment, overrides: ProfileOverrides = {}): Profile {
  const prefix = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  const variable = (...endings: readonly string[]) =>
    endings.map((ending) => environment[`${prefix}_${ending}`]).find((value) => value !== undefined && value !== "");
  const provider = variable("PROVIDER")?.toLowerCase() ?? anyProvider;
  if (provider !== anyProvider && !providers.has(provider)) {
    const known = [...providers.keys(), anyProvider].join(", ");
    throw new CaseError(`$${prefix}_PROVIDER: expected one of ${known}`);
  }
  const url = variable("BASE_URL", "MODEL_URL") ?? providers.get(provider);
  const model = overrides.model ?? variable("MODEL");
  if (url === undefined)
    throw new CaseError(`profile ${name}: $${prefix}_BASE_URL is not set, nor $${prefix}_PROVIDER`);
  if (model === undefined) throw new CaseError(`profile ${name}: $${prefix}_MODEL is not set, nor --model given`);
  const read = settings.safeParse({
    BASE_URL: url,
    MODEL: model,
    TEMPERATURE: overrides.temperature ?? variable("TEMPERATURE"),
    API_KEY: variable("API_KEY", "MODEL_KEY"),
  });
  if (!read.success) {
    throw new CaseError(`profile ${name}: $${prefix}_${describeIssues(read.error.issues.slice(0, 1), [])}`);
  }
  const { BASE_URL, MODEL, TEMPERATURE, API_KEY } = read.data;
  return {
    name,
    url: BASE_URL,
    model: MODEL,
    ...(API_KEY !== undefined && { apiKey: API_KEY }),
    ...(TEMPERATURE !== undefined && { temperature: TEMPERATURE }),
  };
}
