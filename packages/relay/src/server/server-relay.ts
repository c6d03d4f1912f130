import {
  createPack,
  handleIn,
  handleReader,
  holdsHandle,
  type Call,
  type ToolContext,
  type Failure,
  type Interceptor,
  type Outcome,
  type Pack,
  type Store,
} from "@toolpacks/core";
import type { Relay, RelaySettings } from "../create-relay.ts";
import { canBeLarge, maxResultCharacters } from "../box/thresholds.ts";
import { canHaveRows, namedFields } from "../rows/row-precheck.ts";
import type { RelayLimits, RelayValues } from "../values/relay-values.ts";

/** Maximum bytes of a value that code gets whole. */
const maxWhole = 64 * 1024 * 1024;

export interface ServerRelayOptions extends RelaySettings, RelayLimits {
  /** Stores values where other replicas can read them. Default: memory of this process. */
  readonly store?: Store;
  /** Whether tools list output schemas. Structured content must then stay. Default false. */
  readonly keepsStructured?: boolean;
  /** Called with the error of a value that cannot be stored. The result is then returned unchanged. Default: nothing. */
  readonly onError?: (error: unknown) => void;
}

/** The relay of a server. */
export interface ServerRelay {
  /** Resolves handles in arguments before validation, and shortens results. An interceptor that records calls goes outside and sees handles. */
  readonly interceptor: Interceptor;
  /** The problem of the handles in arguments. Undefined when all can be resolved. */
  readonly check: (args: unknown, context: ToolContext) => Promise<Failure | undefined>;
  /** `relay_read`, and stored values as resources. */
  readonly pack: Pack;
  /** Maximum characters of a tool's results here. Without a tool: of any tool's. */
  readonly maxResultCharacters: (tool?: string) => number;
}

const maxScopes = 1_000;

/**
 * Creates the relay of a server. Its code is loaded, and the store is used, at the first large result or handle. Each principal
 * has its own scope; all callers without a credential share one.
 */
export function serverRelay(options: ServerRelayOptions): ServerRelay {
  const { keepsStructured = false, onError } = options;
  const relays = createRelays(options);

  const shorten = async (outcome: Outcome, call: Call): Promise<Outcome> => {
    const { tool, context } = call;
    const fields = namedFields(call);
    const withValue = keepsStructured || context.resultMode === "structured";
    const isCandidate =
      canBeLarge(outcome, { settings: options, tool: tool.name, withValue }) || canHaveRows(outcome, call, fields);
    if (!isCandidate) return outcome;
    const { shortenOutcome } = await import("../box/shorten-outcome.ts");
    try {
      return await shortenOutcome(outcome, await relays(context), { call, fields, keepsStructured, settings: options });
    } catch (error) {
      // The call is done, so its result is returned unchanged.
      onError?.(error);
      return outcome;
    }
  };
  return {
    pack: relayPack(relays),
    maxResultCharacters: (tool) => maxResultCharacters(options, tool),
    async check(args, context) {
      const { checkHandles } = await import("../check-handles.ts");
      return checkHandles(args, (await relays(context)).values);
    },
    async interceptor(call, next) {
      const { tool, args, context } = call;
      const opened = holdsHandle(args) ? { ...call, args: await open(await relays(context), call) } : call;
      const outcome = await next(opened);
      return context.resultMode === "full" || tool.name === handleReader ? outcome : shorten(outcome, call);
    },
  };
}

type Relays = (context: ToolContext) => Promise<Relay>;

/** Caches the relay of each scope. The least recently used is dropped first. */
function createRelays(options: ServerRelayOptions): Relays {
  const known = new Map<string, Promise<Relay>>();
  let memory: Promise<(scope: string) => RelayValues> | undefined;
  const make = async (scope: string) => {
    const { createRelay } = await import("../create-relay.ts");
    const { store, maxAgeHours, maxBytes } = options;
    const limits = { maxAgeHours, maxBytes };
    if (store === undefined) {
      memory ??= import("../values/memory-values.ts").then(({ memoryScopes }) => memoryScopes(limits));
      return createRelay({ ...options, values: (await memory)(scope) });
    }
    const { storeValues } = await import("../values/store-values.ts");
    return createRelay({ ...options, values: storeValues({ ...limits, store, scope }) });
  };
  return (context) => {
    const { principal: scope } = context;
    const relay = known.get(scope) ?? make(scope);
    known.delete(scope);
    known.set(scope, relay);
    if (known.size > maxScopes) known.delete(known.keys().next().value ?? "");
    return relay;
  };
}

function open(relay: Relay, { tool, args, context }: Call): Promise<unknown> {
  const { takesHandles: except = [] } = tool;
  return relay.unbox(args, { schema: tool.input.json(), except, signal: context.signal });
}

function relayPack(relays: Relays): Pack {
  return createPack({
    name: "relay",
    description: "Opens results that were too long to show, as far as needed.",
    core: true,
    budget: 115,
    tools: makeOnce(async () => {
      const { relayReadTool } = await import("../relay-read.ts");
      return [
        relayReadTool(async (request, context) => {
          // Code gets a whole value whole. A model gets a page of it.
          const isWhole = request.mode === "whole" && context.resultMode === "full";
          return (await relays(context)).read(request, context.signal, isWhole ? maxWhole : undefined);
        }),
      ];
    }),
    resources: {
      templates: [
        { uriTemplate: "relay://{id}", name: "relay value", description: "What a handle in a result stands for." },
      ],
      owns: (uri) => handleIn(uri) !== undefined,
      async read(uri, context) {
        const { readResource } = await import("../read/read-resource.ts");
        return readResource(await relays(context), uri, context.signal);
      },
    },
  });
}

function makeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => (made ??= make());
}
