import { z } from "zod";
import type { Kind } from "./store.ts";
import type { Pack, Withheld } from "./pack.ts";
import type { Prompt, PromptSource } from "./prompt.ts";
import type { PackResources } from "./remote.ts";
import type { StepType, Tool } from "./tool.ts";
import { splitServices, type ServiceName, type ServiceOptions, type Services } from "./services.ts";
import { checkSchema, describeIssues, type Schema, type SchemaInput, type SchemaOutput } from "@toolpacks/schema";
import { registerPacks } from "./register-packs.ts";
import { unknownOptions } from "./unknown-options.ts";

/** The argument of `definePack`: a pack as its author writes it. */
export interface PackDefinition<Options extends Schema, Need extends ServiceName = never> {
  /** The facet's name: lower-case letters, digits and dashes. */
  readonly name: string;
  /** The purpose of the tools, in one line, or a function of the options that returns it: it should name nothing that is turned off. */
  readonly description: string | ((options: SchemaOutput<Options>) => string);
  readonly instructions?: string;
  readonly budget: number;
  /** The kinds of records that the tools store, or a function of the options that returns them. The generic `store_*` tools serve them too. */
  readonly kinds?: readonly Kind[] | ((options: SchemaOutput<Options>) => readonly Kind[]);
  /** Lists all tools of the pack, or the named ones, in the core facet. The size of that facet must not grow with the mounted packs. Default false. */
  readonly core?: boolean | readonly string[];
  /** The schema of the options that the factory takes. Unknown fields of an object are rejected. Default: no options. */
  readonly options?: Options;
  /**
   * The services that the pack needs, such as `["store"]`. A caller of the factory passes them among the options. The toolpacks app passes its
   * own services.
   */
  readonly needs?: readonly Need[];
  /** Creates the tools. Called once, when a tool is first needed, so a large pack can `import()` its tools here. */
  tools(options: SchemaOutput<Options>, services: Pick<Services, Need>): readonly Tool[] | Promise<readonly Tool[]>;
  withheld?(options: SchemaOutput<Options>): readonly Withheld[];
  /** Creates the step types for workflows. No tool list contains them. */
  steps?(
    options: SchemaOutput<Options>,
    services: Pick<Services, Need>,
  ): readonly StepType[] | Promise<readonly StepType[]>;
  prompts?(options: SchemaOutput<Options>): readonly Prompt[];
  /** Creates the source of prompts that change while a server runs. */
  promptSource?(options: SchemaOutput<Options>, services: Pick<Services, Need>): PromptSource;
  /** Creates the resources, which the surfaces serve. `registerWith` leaves them out. */
  resources?(options: SchemaOutput<Options>, services: Pick<Services, Need>): PackResources;
}

/** Creates a pack from its options and the services that it needs. Throws an Error that names each invalid option. */
export interface PackFactory<Options extends Schema, Need extends ServiceName = never> {
  (...options: FactoryArguments<SchemaInput<Options>, Need>): Pack;
  /** The services that the factory takes among the options. */
  readonly needs: readonly Need[];
  /** The schema of the options. */
  readonly options: Options;
}

type FactoryArguments<Input, Need extends ServiceName> = [Need] extends [never]
  ? undefined extends Input
    ? [options?: Input]
    : [options: Input]
  : [options: OwnOptions<NonNullable<Input>> & ServiceOptions<Need>];

/** The pack's own options. For a pack without options, zod infers `Record<string, never>`, which would forbid the services too. */
type OwnOptions<Input> = Input extends Readonly<Record<string, never>> ? unknown : Input;

const namePattern = /^[a-z][a-z0-9-]*$/;
const noOptions = z.strictObject({}).optional();

/**
 * Defines a pack: `export const notes = definePack({ … })`, then `await notes(options).registerWith(server)`.
 *
 * @throws Error when the name is not lower-case, or `options` is not a zod 4 schema
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
    const { services, options } = splitServices(definition.name, needs, input);
    // The schema is used once for each pack, so compiling it would only slow down the start.
    const parsed = z.core.safeParse(schema as z.core.$ZodType, options, { jitless: true });
    if (!parsed.success) throw new Error(`${definition.name}: ${describeIssues(parsed.error.issues, schema)}`);
    const unknown = unknownOptions(schema, options);
    if (unknown !== undefined) throw new Error(`${definition.name}: ${unknown}`);
    return fromDefinition(definition, parsed.data as SchemaOutput<Options>, services);
  };
  // Without `options`, the type parameter is the type of `noOptions`.
  return Object.assign(create, { needs, options: schema as Options });
}

function fromDefinition<Options extends Schema, Need extends ServiceName>(
  definition: PackDefinition<Options, Need>,
  options: SchemaOutput<Options>,
  services: Pick<Services, Need>,
): Pack {
  const { name, description, instructions, budget, kinds, core } = definition;
  let tools: Promise<readonly Tool[]> | undefined;
  const load = async () => await definition.tools(options, services);
  return createPack({
    name,
    description: typeof description === "function" ? description(options) : description,
    instructions,
    budget,
    kinds: typeof kinds === "function" ? kinds(options) : kinds,
    core,
    withheld: definition.withheld?.(options),
    prompts: definition.prompts?.(options),
    promptSource: definition.promptSource?.(options, services),
    resources: definition.resources?.(options, services),
    steps: definition.steps && (async () => definition.steps?.(options, services) ?? []),
    tools() {
      tools ??= load().catch((error: unknown) => {
        tools = undefined;
        throw error;
      });
      return tools;
    },
  });
}

/** The parts of a pack whose tools exist already. Pack authors use `definePack` instead. */
export type PackParts = Pick<Pack, "name" | "description" | "budget" | "tools"> & Partial<Omit<Pack, "registerWith">>;

/** Creates a pack from its parts. */
export function createPack({ kinds = [], core = false, withheld = [], ...parts }: PackParts): Pack {
  const pack: Pack = {
    ...parts,
    kinds,
    core,
    withheld,
    registerWith: (server, options) => registerPacks(server, [pack], options),
  };
  return pack;
}
