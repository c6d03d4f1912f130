import { renderFailure, ToolError } from "@toolpacks/core";
import { z } from "zod";

/** An endpoint of a model. Its key comes from the environment, never from a file. */
export const modelEndpoint = z.strictObject({
  url: z.url().describe("address of an OpenAI-compatible endpoint, such as http://localhost:11434/v1"),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("name of the model at the endpoint; default: the name in the step"),
  keyVariable: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable")
    .optional()
    .describe("environment variable that holds the key"),
});

export type ModelEndpoint = z.output<typeof modelEndpoint>;

/** Settings of a call. */
interface FoundModel {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

export interface Models {
  /** @throws ToolError `unavailable` that says what to configure */
  find(name: string): FoundModel;
  /** Why a model cannot be asked. Undefined when it can. */
  problem(name: string): string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configured models. The model `default`, or else the model of `$TOOLPACKS_MODEL_URL`, `$TOOLPACKS_MODEL` and
 * `$TOOLPACKS_MODEL_KEY`, serves every name that is not configured.
 */
export function createModels(endpoints: Readonly<Record<string, ModelEndpoint>>, environment: Environment): Models {
  const env = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  const fallback = (): FoundModel | undefined => {
    const url = env("TOOLPACKS_MODEL_URL");
    return url === undefined
      ? undefined
      : { url, model: env("TOOLPACKS_MODEL") ?? "default", apiKey: env("TOOLPACKS_MODEL_KEY") };
  };
  const configured = (name: string): FoundModel | undefined => {
    const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
    if (endpoint === undefined) return undefined;
    const { url, model = name, keyVariable } = endpoint;
    const apiKey = keyVariable === undefined ? undefined : env(keyVariable);
    if (keyVariable !== undefined && apiKey === undefined) {
      throw new ToolError(
        "unavailable",
        `model ${name}: its key is missing`,
        `Set $${keyVariable} where the server starts.`,
      );
    }
    return { url, model, apiKey };
  };
  const models: Models = {
    find(name) {
      const own = configured(name);
      if (own !== undefined) return own;
      const general = configured("default") ?? fallback();
      if (general !== undefined) return name === "default" ? general : { ...general, model: name };
      throw new ToolError(
        "unavailable",
        `no model ${JSON.stringify(name)} is configured`,
        "The user can set models of the workflows pack in the config file, or $TOOLPACKS_MODEL_URL and $TOOLPACKS_MODEL.",
      );
    },
    problem(name) {
      try {
        models.find(name);
        return undefined;
      } catch (error) {
        if (!ToolError.is(error)) throw error;
        return renderFailure(error)
          .replace(/^unavailable: /, "")
          .replace("\n", ". ");
      }
    },
  };
  return models;
}
