import type { GetPromptResult } from "@modelcontextprotocol/client";
import { inSpan, ToolError, type Failure, type Remote, type RemotePrompt, type Tool } from "@toolpacks/core";
import { cleanTexts } from "./clean-text.ts";
import type { Known, Offers } from "./offers.ts";
import type { UpstreamPlan } from "./options.ts";
import { heldBack, refusal } from "./refusal.ts";
import { requestSpan } from "./request-span.ts";
import type { Offer } from "./offer.ts";
import { interfaceOf, withPassedMeta, type Meta } from "./passed-meta.ts";
import { isInterface, linkHere, uriHere, uriThere } from "./resource-uri.ts";
import type { Session } from "./session.ts";
import { namesHere } from "./tool-names.ts";
import { untilAborted } from "./until-aborted.ts";

interface RemoteOfOptions {
  readonly plan: UpstreamPlan;
  readonly prefix: string;
  readonly offers: Offers;
  readonly session: () => Promise<Session>;
  readonly tools: () => readonly Tool[] | undefined;
  readonly about: () => Promise<string | undefined>;
  readonly missing: (name: string) => Failure | undefined;
  readonly end: () => Promise<void>;
}

/** What lists show of an offer: names are ours, and texts are clean. Computed at its first use, since an untrusted offer may be large. */
function createListings(plan: UpstreamPlan, prefix: string) {
  const { name: server, avoid } = plan;
  const prompts = perOffer((known) => {
    const all = known.offer.prompts;
    const names = all.map((one) => one.name);
    const here = namesHere(prefix, names, { avoid });
    const held = new Map(heldBack(known, plan, "prompt").map((one) => [one.name, one]));
    const shown = all.filter((one) => !held.has(one.name));
    const listed = shown.map((one) => ({ ...cleanTexts(one), name: here.get(one.name) ?? one.name }));
    return { here, held, listed };
  });
  const resources = perOffer(({ offer }) =>
    offer.resources.map((one) => ({ ...cleaned(one), uri: uriHere(server, one.uri) })),
  );
  const templates = perOffer(({ offer }) =>
    offer.templates.map((one) => ({ ...cleaned(one), uriTemplate: uriHere(server, one.uriTemplate) })),
  );
  const interfaces = perOffer(({ offer }) => interfacesOf(offer));
  const hasInterface = (known: Known | undefined, uri: string): boolean => {
    if (known === undefined) return false;
    const { uris, beginnings } = interfaces(known);
    return uris.has(uri) || beginnings.some((beginning) => uri.startsWith(beginning));
  };
  return { prompts, resources, templates, hasInterface };
}

/** A resource with clean texts. Its `_meta` is for the client, and stays as it is. */
function cleaned<Item extends { readonly _meta?: Meta | undefined }>({ _meta, ...texts }: Item) {
  return { ...cleanTexts(texts), _meta };
}

/** The `ui://` URIs that a server lists: as resources, as the beginning of templates, and as the interfaces of its tools. */
function interfacesOf({ resources, templates, tools }: Offer) {
  const uris = [...resources.map(({ uri }) => uri), ...tools.flatMap(({ _meta }) => interfaceOf(_meta) ?? [])];
  const beginnings = templates.flatMap(({ uriTemplate }) => uriTemplate.split("{", 1));
  return {
    uris: new Set(uris.filter(isInterface)),
    // A template of the scheme alone would own the interfaces of every server.
    beginnings: beginnings.filter((one) => isInterface(one) && one.length > "ui://".length),
  };
}

function perOffer<Value>(make: (known: Known) => Value): (known: Known) => Value {
  const made = new WeakMap<Known, { readonly value: Value }>();
  return (known) => {
    const { value } = made.get(known) ?? { value: make(known) };
    made.set(known, { value });
    return value;
  };
}

/** Reads a resource by its address here. */
function readerOf(server: string, session: RemoteOfOptions["session"]): Remote["read"] {
  return async (uri, context) => {
    const there = uriThere(server, uri) ?? uri;
    const running = await session();
    const result = await inSpan({ ...requestSpan(server, { method: "resources/read" }), context }, (within) =>
      running.run(
        (client, options, trace) => client.readResource({ uri: there, ...trace }, { ...options, cacheMode: "bypass" }),
        within,
      ),
    );
    return result.contents.map((one) => ({ ...withPassedMeta(one), uri: uriHere(server, one.uri) }));
  };
}

/** The server behind a pack: its resources and prompts under our names. */
export function remoteOf({ plan, prefix, offers, session, tools, about, missing, end }: RemoteOfOptions): Remote {
  const { name: server } = plan;
  const listings = createListings(plan, prefix);
  return {
    prefix,
    knownTools: tools,
    about,
    missing,
    watch: (changed) => offers.watch(changed),
    end,
    async resources() {
      const known = await offers.get();
      return known === undefined ? [] : listings.resources(known);
    },
    async resourceTemplates() {
      const known = await offers.get();
      return known === undefined ? [] : listings.templates(known);
    },
    owns: (uri) =>
      isInterface(uri)
        ? offers.get().then((known) => listings.hasInterface(known, uri))
        : uriThere(server, uri) !== undefined,
    read: readerOf(server, session),
    async prompts() {
      const known = await offers.get();
      return known === undefined ? [] : listings.prompts(known).listed;
    },
    async prompt(name, args, context) {
      const known = await offers.get();
      const { here, held } = known === undefined ? {} : listings.prompts(known);
      const there = [...(here ?? [])].find(([, ours]) => ours === name)?.[0];
      if (there === undefined) throw new ToolError("not_found", `no prompt is named ${JSON.stringify(name)}`);
      const change = held?.get(there);
      if (change !== undefined) throw refusal(plan, change, name);
      const running = await session();
      const span = requestSpan(server, { method: "prompts/get", name: there });
      const getPrompt: Parameters<typeof running.run<GetPromptResult>>[0] = async (client, options, trace) => {
        if (plan.changes === "hold") {
          // What was cached may not be what this connection offers.
          const now = await untilAborted(options.signal, offers.changeOf("prompt", there, client));
          if (now !== undefined) throw refusal(plan, now, name);
        }
        return client.getPrompt({ name: there, arguments: { ...args }, ...trace }, options);
      };
      const result = await inSpan({ ...span, context }, (within) => running.run(getPrompt, within));
      const { description } = result;
      const messages = result.messages.map((one) => ({ ...one, content: linkHere(server, one.content) }));
      return { description, messages } satisfies RemotePrompt;
    },
  };
}
