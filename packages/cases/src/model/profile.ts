import { z } from "zod";
import { ConfigurationError, describeIssues } from "@toolpacks/core";

type Environment = Readonly<Record<string, string | undefined>>;

/** A model endpoint. */
export interface Profile {
  readonly name: string;
  readonly url: string;
  /** Where the address is set. */
  readonly urlFrom: "environment" | "envFile";
  readonly model: string;
  /** Secret: never shown. */
  readonly apiKey?: string;
  readonly temperature?: number;
}

/** Values of the command line, which override the environment, and variables of a file. */
export interface ProfileOptions {
  readonly model?: string;
  readonly temperature?: number;
  /** Variables of a `.env` file. The environment takes precedence. */
  readonly envFile?: Environment;
}

const hasNoUser = (url: string) => !URL.canParse(url) || (new URL(url).username === "" && new URL(url).password === "");

/** The settings of a profile, by the suffixes of their variables. */
const settings = z.object({
  BASE_URL: z
    .url({ protocol: /^https?$/, error: "expected an address: http://localhost:11434/v1" })
    .refine(hasNoUser, "expected an address without user and password"),
  MODEL: z.string().max(200),
  TEMPERATURE: z.coerce.number("expected a number from 0 to 2").min(0).max(2).optional(),
  // The SDK would print a key that is not valid in a header in its error.
  API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, "expected letters, digits and signs, without spaces")
    .optional(),
});

/**
 * Reads `<PROFILE>_BASE_URL`, `_MODEL`, `_API_KEY` and `_TEMPERATURE`. `_MODEL_URL` and `_MODEL_KEY` mean the same as
 * `_BASE_URL` and `_API_KEY`, so that the profile `toolpacks` is the endpoint of workflows.
 *
 * Address and key come from the same source, the environment or the `.env` file: a folder must not send a key of the user to an address of its own.
 *
 * @throws ConfigurationError that names the variable and the accepted values
 */
export function readProfile(name: string, environment: Environment, options: ProfileOptions = {}): Profile {
  const prefix = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_");
  const sources = [environment, options.envFile ?? {}].map((variables) => sourceOf(prefix, variables));
  const { url, key, urlFrom } = endpointOf(name, prefix, sources);
  const setting = (ending: string) =>
    sources.map(({ variable }) => variable(ending)).find((value) => value !== undefined);
  const model = options.model ?? setting("MODEL");
  if (model === undefined)
    throw new ConfigurationError(`profile ${name}: $${prefix}_MODEL is not set, and --model is missing`);
  const read = settings.safeParse({
    BASE_URL: url,
    MODEL: model,
    TEMPERATURE: options.temperature ?? setting("TEMPERATURE"),
    API_KEY: key,
  });
  if (!read.success)
    throw new ConfigurationError(`profile ${name}: $${prefix}_${describeIssues(read.error.issues.slice(0, 1), [])}`);
  const { BASE_URL, MODEL, TEMPERATURE, API_KEY } = read.data;
  return { name, url: BASE_URL, urlFrom, model: MODEL, apiKey: API_KEY, temperature: TEMPERATURE };
}

/** The variables of a profile in one source. */
interface Source {
  readonly variable: (...endings: readonly string[]) => string | undefined;
  /** Undefined when the source sets no address. */
  readonly url: string | undefined;
  readonly key: string | undefined;
}

function sourceOf(prefix: string, variables: Environment): Source {
  const variable = (...endings: readonly string[]) =>
    endings.map((ending) => variables[`${prefix}_${ending}`]).find((value) => value !== undefined && value !== "");
  return { variable, url: variable("BASE_URL", "MODEL_URL"), key: variable("API_KEY", "MODEL_KEY") };
}

type Endpoint = Pick<Source, "url" | "key"> & Pick<Profile, "urlFrom">;

/** The address and key of the first source that names an address. */
function endpointOf(name: string, prefix: string, sources: readonly Source[]): Endpoint {
  const at = sources.findIndex(({ url }) => url !== undefined);
  const found = sources[at];
  if (found === undefined) throw new ConfigurationError(`profile ${name}: $${prefix}_BASE_URL is not set`);
  const isKeyElsewhere = sources.some(({ url, key }) => url === undefined && key !== undefined);
  if (found.key !== undefined || !isKeyElsewhere) return { ...found, urlFrom: at === 0 ? "environment" : "envFile" };
  const [addressPlace, keyPlace] = at === 0 ? ["the environment", ".env"] : [".env", "the environment"];
  throw new ConfigurationError(
    `profile ${name}: the address is set in ${addressPlace} and the key in ${keyPlace}: a key is sent only to an address from the same place; set both in one of them`,
  );
}
