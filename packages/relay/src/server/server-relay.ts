import {
  createPack,
  handleIn,
  holdsHandle,
  type CallContext,
  type Failure,
  type Interceptor,
  type Outcome,
  type Pack,
  type Store,
} from "@toolpacks/core";
import type { Relay, RelaySettings } from "../create-relay.ts";
import { canBeLarge } from "../box/size-precheck.ts";
import { thresholdsOf } from "../box/thresholds.ts";
import type { RelayLimits, RelayValues } from "../values/relay-values.ts";
import { principalOf } from "./principal.ts";

export interface ServerRelayOptions extends RelaySettings, RelayLimits {
  /** Where values live, so that another replica can open them. Without one they live in this process's memory. */
  readonly store?: Store;
  /** Whether tools list output schemas, whose structured content must then be there. Default false. */
  readonly keepsStructured?: boolean;
  /** Told when a value cannot be kept; its result then goes out whole. Default: nobody is. */
  readonly onError?: (error: unknown) => void;
}

/** A server's part of the relay. */
export interface ServerRelay {
  /** Opens handles in arguments before they are validated, and boxes results. Goes inside whatever records calls, which then sees handles. */
  readonly interceptor: Interceptor;
  /** What is wrong with the handles in arguments, before anything is done with them; undefined when all lead somewhere. */
  readonly check: (args: unknown, context: CallContext) => Promise<Failure | undefined>;
  /** `relay_read`, and the values as resources. */
  readonly pack: Pack;
}

const readingTool = "relay_read";
const maxScopes = 1_000;

/**
 * Creates a server's relay. Nothing more is loaded, and nothing is made in the store, before a result is large or an argument is a handle.
 * Each principal is a scope of its own; all callers without a credential are one.
 */
export function serverRelay(options: ServerRelayOptions): ServerRelay {
  const thresholds = thresholdsOf(options);
  const { keepsStructured = false, onError } = options;
  const relays = createRelays(options);

  const boxed = async (outcome: Outcome, call: Parameters<Interceptor>[0]): Promise<Outcome> => {
    const { boxOutcome } = await import("../box/box-outcome.ts");
    try {
      const boxer = (await relays(call.context)).boxer(call.tool.name);
      return await boxOutcome(outcome, boxer, { call, keepsStructured });
    } catch (error) {
      // What was done is done, and its result is worth more than a short conversation.
      onError?.(error);
      return outcome;
    }
  };
  return {
    pack: relayPack(relays),
    async check(args, context) {
      const { checkHandles } = await import("../check-handles.ts");
      return checkHandles(args, (await relays(context)).values);
    },
    async interceptor(call, next) {
      const { tool, args, context } = call;
      const opened = holdsHandle(args) ? { ...call, args: await open(await relays(context), call) } : call;
      const outcome = await next(opened);
      if (context.resultMode === "full" || tool.name === readingTool) return outcome;
      const withValue = keepsStructured || context.resultMode === "structured";
      return canBeLarge(outcome, { thresholds, tool: tool.name, withValue }) ? boxed(outcome, call) : outcome;
    },
  };
}

type Relays = (context: CallContext) => Promise<Relay>;

/** Each scope's relay, made when it is first needed; those that were not used for longest are forgotten first. */
function createRelays(options: ServerRelayOptions): Relays {
  const known = new Map<string, Promise<Relay>>();
  let memory: Promise<(scope: string) => RelayValues> | undefined;
  const make = async (scope: string) => {
    const { createRelay } = await import("../create-relay.ts");
    const { store, maxAgeHours, maxBytes } = options;
    const limits = { ...(maxAgeHours !== undefined && { maxAgeHours }), ...(maxBytes !== undefined && { maxBytes }) };
    if (store === undefined) {
      memory ??= import("../values/memory-values.ts").then(({ memoryScopes }) => memoryScopes(limits));
      return createRelay({ ...options, values: (await memory)(scope) });
    }
    const { storeValues } = await import("../values/store-values.ts");
    return createRelay({ ...options, values: storeValues({ ...limits, store, scope }) });
  };
  return (context) => {
    const scope = principalOf(context.auth);
    const relay = known.get(scope) ?? make(scope);
    known.delete(scope);
    known.set(scope, relay);
    if (known.size > maxScopes) known.delete(known.keys().next().value ?? "");
    return relay;
  };
}

function open(relay: Relay, { tool, args, context }: Parameters<Interceptor>[0]): Promise<unknown> {
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
      return [relayReadTool(async (request, context) => (await relays(context)).read(request, context.signal))];
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
