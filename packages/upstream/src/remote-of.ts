import type { GetPromptResult } from "@modelcontextprotocol/client";
import { inSpan, ToolError, type Remote, type RemotePrompt, type Tool, untilAborted } from "@toolpacks/core";
import { cleanTexts } from "./clean-text.ts";
import type { Known } from "./offers.ts";
import { heldBack, refusal } from "./refusal.ts";
import { requestSpan } from "./request-span.ts";
import type { Offer } from "./offer.ts";
import { interfaceOf, withPassedMeta, type Meta } from "./passed-meta.ts";
import { isInterface, linkHere, uriHere, uriThere } from "./resource-uri.ts";
import { namesHere } from "./tool-names.ts";
import { missingTool } from "./tool-table.ts";
import type { UpstreamServer } from "./upstream-server.ts";

/** What lists show of an offer: names are ours, and texts are clean. */
function createListings(known: Known, { plan, prefix }: UpstreamServer) {
  const { name: server, avoid } = plan;
  const { prompts, resources, templates } = known.offer;
  const names = prompts.map((one) => one.name);
  const here = namesHere(prefix, names, { avoid });
  const held = new Map(heldBack(known, plan, "prompt").map((one) => [one.name, one]));
  const shown = prompts.filter((one) => !held.has(one.name));
  return {
    known,
    here,
    held,
    prompts: shown.map((one) => ({ ...cleanTexts(one), name: here.get(one.name) ?? one.name })),
    resources: resources.map((one) => ({ ...cleaned(one), uri: uriHere(server, one.uri) })),
    templates: templates.map((one) => ({ ...cleaned(one), uriTemplate: uriHere(server, one.uriTemplate) })),
    interfaces: interfacesOf(known.offer),
  };
}

/** A resource with clean texts. Its `_meta` is for the client, and stays as it is. */
function cleaned<Item extends { readonly _meta?: Meta | undefined }>({ _meta, ...texts }: Item) {
  return { ...cleanTexts(texts), _meta };
}

/** Whether a server lists a `ui://` URI: as a resource, as the beginning of a template, or as the interface of a tool. */
function interfacesOf({ resources, templates, tools }: Offer): (uri: string) => boolean {
  const listed = [...resources.map(({ uri }) => uri), ...tools.flatMap(({ _meta }) => interfaceOf(_meta) ?? [])];
  const uris = new Set(listed.filter(isInterface));
  // A template of the scheme alone would own the interfaces of every server.
  const beginnings = templates
    .flatMap(({ uriTemplate }) => uriTemplate.split("{", 1))
    .filter((one) => isInterface(one) && one.length > "ui://".length);
  return (uri) => uris.has(uri) || beginnings.some((beginning) => uri.startsWith(beginning));
}

/** The server behind a pack: its resources and prompts under our names. */
export function remoteOf(upstream: UpstreamServer, tools: () => readonly Tool[] | undefined): Remote {
  const { plan, prefix, offers, session, end } = upstream;
  const { name: server } = plan;
  let last: ReturnType<typeof createListings> | undefined;
  /** The listings of the latest offer, which are computed once: an untrusted offer may be large. */
  const listings = async () => {
    const known = await offers.get();
    if (known !== undefined && known !== last?.known) last = createListings(known, upstream);
    return known && last;
  };
  return {
    prefix,
    knownTools: tools,
    async about() {
      const known = await offers.known();
      return known && (await import("./about-server.ts")).aboutServer(plan.name, known.offer);
    },
    missing: (name) => missingTool(upstream, name),
    watch: (changed) => offers.watch(changed),
    end,
    resources: async () => (await listings())?.resources ?? [],
    resourceTemplates: async () => (await listings())?.templates ?? [],
    owns: (uri) =>
      isInterface(uri)
        ? listings().then((listed) => listed?.interfaces(uri) ?? false)
        : uriThere(server, uri) !== undefined,
    async read(uri, context) {
      const there = uriThere(server, uri) ?? uri;
      const running = await session();
      const result = await inSpan({ ...requestSpan(server, "resources/read"), context }, (within) =>
        running.run(
          (client, options, trace) =>
            client.readResource({ uri: there, ...trace }, { ...options, cacheMode: "bypass" }),
          within,
        ),
      );
      return result.contents.map((one) => ({ ...withPassedMeta(one), uri: uriHere(server, one.uri) }));
    },
    prompts: async () => (await listings())?.prompts ?? [],
    async prompt(name, args, context) {
      const { here, held } = (await listings()) ?? {};
      const there = [...(here ?? [])].find(([, ours]) => ours === name)?.[0];
      if (there === undefined) throw new ToolError("not_found", `no prompt is named ${JSON.stringify(name)}`);
      const change = held?.get(there);
      if (change !== undefined) throw refusal(plan, change, name);
      const running = await session();
      const getPrompt: Parameters<typeof running.run<GetPromptResult>>[0] = async (client, options, trace) => {
        // What was cached may not be what this connection offers.
        const item = { kind: "prompt", name: there, shownName: name } as const;
        await untilAborted(options.signal, offers.admit(item, client));
        return client.getPrompt({ name: there, arguments: { ...args }, ...trace }, options);
      };
      const span = requestSpan(server, "prompts/get", there);
      const result = await inSpan({ ...span, context }, (within) => running.run(getPrompt, within));
      const { description } = result;
      const messages = result.messages.map((one) => ({ ...one, content: linkHere(server, one.content) }));
      return { description, messages } satisfies RemotePrompt;
    },
  };
}
