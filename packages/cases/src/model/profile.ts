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
const providers: Readonly<Record<string, string | undefined>> = {
  openai: "https://api.openai.com/v1",
  openrouter: "https://openrouter.ai/api/v1",
  mistral: "https://api.mistral.ai/v1",
  groq: "https://api.groq.com/openai/v1",
  ollama: "http://localhost:11434/v1",
  lmstudio: "http://localhost:1234/v1",
};
const anyProvider = "openai-compatible";

const profileSchema = z.object({
  url: z.url({ protocol: /^https?$/, error: "expected an address: http://localhost:11434/v1" }),
  model: z.string().max(200),
  temperature: z.coerce.number("expected a number").min(0).max(2).optional(),
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
  if (provider !== anyProvider && providers[provider] === undefined) {
    const known = [...Object.keys(providers), anyProvider].join(", ");
    throw new CaseError(`$${prefix}_PROVIDER: expected one of ${known}`);
  }
  const url = variable("BASE_URL", "MODEL_URL") ?? providers[provider];
  const model = overrides.model ?? variable("MODEL");
  if (url === undefined)
    throw new CaseError(`profile ${name}: $${prefix}_BASE_URL is not set, nor $${prefix}_PROVIDER`);
  if (model === undefined) throw new CaseError(`profile ${name}: $${prefix}_MODEL is not set, nor --model given`);
  const temperature = overrides.temperature ?? variable("TEMPERATURE");
  const read = profileSchema.safeParse({ url, model, ...(temperature !== undefined && { temperature }) });
  if (!read.success) throw new CaseError(`profile ${name}: ${describeIssues(read.error.issues, [])}`);
  const apiKey = variable("API_KEY", "MODEL_KEY");
  const { temperature: degree, ...place } = read.data;
  return {
    name,
    ...place,
    ...(apiKey !== undefined && { apiKey }),
    ...(degree !== undefined && { temperature: degree }),
  };
}
