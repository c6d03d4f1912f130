import { z } from "zod";
import { createCatalog } from "./catalog.ts";
import { createDispatcher } from "./dispatch.ts";
import { registerTools } from "./host.ts";
import type { Kind } from "./store/store.ts";
import type { Pack, Withheld } from "./pack.ts";
import type { Prompt } from "./prompt.ts";
import type { StepType } from "./step-type.ts";
import type { Tool } from "./tool.ts";
import { takeServices, type ServiceName, type ServiceOptions, type Services } from "./services.ts";
import { describeIssues } from "./problems.ts";
import { checkSchema, type Schema, type SchemaInput, type SchemaOutput } from "./object-schema.ts";
import { registerPrompts } from "./register-prompts.ts";
import { unknownOptions } from "./unknown-options.ts";

/** A pack as its author writes it. */
export interface PackDefinition<Options extends Schema, Need extends ServiceName = never> {
  /** The facet's name: lower-case letters, digits and dashes. */
  readonly name: string;
  /** One line: what the tools are for. */
  readonly description: string;
  readonly instructions?: string;
  readonly budget: number;
  /** The records that its tools keep, which may depend on the options. The generic `store_*` tools then work on them too. */
  readonly kinds?: readonly Kind[] | ((options: SchemaOutput<Options>) => readonly Kind[]);
  /** Lists its tools, or those named, wherever the core facet is, whose size must not grow with what is mounted. Default false. */
  readonly core?: boolean | readonly string[];
  /** Validates what the factory is called with; an object's unknown fields are refused. Default: no options. */
  readonly options?: Options;
  /**
   * What the pack takes of the server that mounts it: `["store"]`. A caller of the factory passes them among the options; the toolpacks app
   * passes its own.
   */
  readonly needs?: readonly Need[];
  /** Called once, when a tool is first needed, so a heavy pack may `import()` its tools here. */
  tools(options: SchemaOutput<Options>, services: Pick<Services, Need>): readonly Tool[] | Promise<readonly Tool[]>;
  withheld?(options: SchemaOutput<Options>): readonly Withheld[];
  /** Step types for workflows. They cost no tool and no token of any list. */
  steps?(
    options: SchemaOutput<Options>,
    services: Pick<Services, Need>,
  ): readonly StepType[] | Promise<readonly StepType[]>;
  prompts?(options: SchemaOutput<Options>): readonly Prompt[];
}

/** Makes a pack from its options, and the services that it needs. Throws an Error that names each wrong option. */
export interface PackFactory<Options extends Schema, Need extends ServiceName = never> {
  (...options: FactoryArguments<SchemaInput<Options>, Need>): Pack;
  /** What a server that mounts the pack passes to the factory. */
  readonly needs: readonly Need[];
}

type FactoryArguments<Input, Need extends ServiceName> = [Need] extends [never]
  ? undefined extends Input
    ? [options?: Input]
    : [options: Input]
  : [options: OwnOptions<NonNullable<Input>> & ServiceOptions<Need>];

/** Zod types the options of a pack that has none as fields that are never there, and the services would be among them. */
type OwnOptions<Input> = Input extends Readonly<Record<string, never>> ? unknown : Input;

const namePattern = /^[a-z][a-z0-9-]*$/;
const noOptions = z.strictObject({}).optional();

/**
 * Defines a pack: `export const notes = definePack({ … })`, then `await notes(options).registerWith(server)`.
 *
 * @throws Error when the name is not lower-case, or `options` is not a schema of zod 4. `core` is the surface's own.
 */
export function definePack<Options extends Schema = typeof noOptions, Need extends ServiceName = never>(
  definition: PackDefinition<Options, Need>,
): PackFactory<Options, Need> {
  if (!namePattern.test(definition.name)) {
    throw new Error(`pack name "${definition.name}": expected lower-case letters, digits and dashes`);
  }
  const schema: Schema = definition.options ?? noOptions;
  checkSchema(schema, `pack ${definition.name}: options`);
  const { needs = [] } = definition;
  const create = (input?: unknown) => {
    const { services, options } = takeServices(definition.name, needs, input);
    const parsed = z.core.safeParse(schema as z.core.$ZodType, options);
    if (!parsed.success) throw new Error(`${definition.name}: ${describeIssues(parsed.error.issues, schema)}`);
    const unknown = unknownOptions(schema, options);
    if (unknown !== undefined) throw new Error(`${definition.name}: ${unknown}`);
    return fromDefinition(definition, parsed.data as SchemaOutput<Options>, services);
  };
  return Object.assign(create, { needs });
}

function fromDefinition<Options extends Schema, Need extends ServiceName>(
  definition: PackDefinition<Options, Need>,
  options: SchemaOutput<Options>,
  services: Pick<Services, Need>,
): Pack {
  const { name, description, instructions, budget, kinds = [], core = false } = definition;
  let tools: Promise<readonly Tool[]> | undefined;
  const load = async () => await definition.tools(options, services);
  const prompts = definition.prompts?.(options);
  return createPack({
    name,
    description,
    ...(instructions !== undefined && { instructions }),
    budget,
    kinds: typeof kinds === "function" ? kinds(options) : kinds,
    core,
    withheld: definition.withheld?.(options) ?? [],
    ...(prompts !== undefined && { prompts }),
    ...(definition.steps && { steps: async () => definition.steps?.(options, services) ?? [] }),
    tools() {
      tools ??= load().catch((error: unknown) => {
        tools = undefined;
        throw error;
      });
      return tools;
    },
  });
}

/** A pack whose tools are made elsewhere; an author writes `definePack`. */
export type PackParts = Pick<Pack, "name" | "description" | "budget" | "tools"> &
  Partial<Pick<Pack, "instructions" | "kinds" | "core" | "withheld" | "prompts" | "steps" | "resources" | "remote">>;

/** Makes a pack of its parts. */
export function createPack(parts: PackParts): Pack {
  const pack: Pack = {
    kinds: [],
    core: false,
    withheld: [],
    ...parts,
    async registerWith(server, { results = "both", interceptors = [], readOnly = false } = {}) {
      const catalog = createCatalog({ packs: [pack], readOnly });
      const dispatcher = createDispatcher(catalog, { interceptors });
      const entries = await catalog.entries();
      registerTools(server, entries, { dispatcher, results });
      const callable = new Set(entries.map(({ tool }) => tool.name));
      registerPrompts(
        server,
        (pack.prompts ?? []).filter(({ tool }) => callable.has(tool)),
      );
    },
  };
  return pack;
}
