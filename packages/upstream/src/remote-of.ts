import {
  ToolError,
  type EmbeddedResource,
  type Failure,
  type Remote,
  type RemotePrompt,
  type Tool,
} from "@toolpacks/core";
import { cleanTexts } from "./clean-text.ts";
import type { Offer } from "./offer.ts";
import type { Offers } from "./offers.ts";
import type { UpstreamPlan } from "./options.ts";
import { heldBack, refusal } from "./refusal.ts";
import { linkHere, uriHere, uriThere } from "./resource-uri.ts";
import type { Session } from "./session.ts";
import { namesHere } from "./tool-names.ts";
import { untilAborted } from "./until-aborted.ts";

interface RemoteOfOptions {
  readonly plan: UpstreamPlan;
  readonly prefix: string;
  readonly offers: Offers;
  readonly session: () => Promise<Session>;
  readonly tools: () => readonly Tool[] | undefined;
  readonly missing: (name: string) => Failure | undefined;
  readonly end: () => Promise<void>;
}

function namesOf(prompts: Offer["prompts"], prefix: string, { avoid }: UpstreamPlan): ReadonlyMap<string, string> {
  const names = prompts.map(({ name }) => name);
  return namesHere(prefix, names, { avoid });
}

/** The server behind a pack: its resources and prompts under our names. */
export function remoteOf({ plan, prefix, offers, session, tools, missing, end }: RemoteOfOptions): Remote {
  const { name: server } = plan;
  const offer = async () => (await offers.get())?.offer;
  const promptTable = async () => {
    const known = await offers.get();
    const all = known?.offer.prompts ?? [];
    const changes = known === undefined ? [] : heldBack(known, plan, "prompt");
    return { all, here: namesOf(all, prefix, plan), held: new Map(changes.map((one) => [one.name, one])) };
  };
  return {
    prefix,
    knownTools: tools,
    missing,
    watch: (changed) => offers.watch(changed),
    end,
    async resources() {
      const all = (await offer())?.resources ?? [];
      return all.map((one) => ({ ...cleanTexts(one), uri: uriHere(server, one.uri) }));
    },
    async resourceTemplates() {
      const all = (await offer())?.templates ?? [];
      return all.map((one) => ({ ...cleanTexts(one), uriTemplate: uriHere(server, one.uriTemplate) }));
    },
    owns: (uri) => uriThere(server, uri) !== undefined,
    async read(uri, context) {
      const there = uriThere(server, uri) ?? uri;
      const result = await (
        await session()
      ).run((client, options) => client.readResource({ uri: there }, { ...options, cacheMode: "bypass" }), context);
      return result.contents.map((one) => ({ ...one, uri: uriHere(server, one.uri) }) as EmbeddedResource);
    },
    async prompts() {
      const { all, here, held } = await promptTable();
      const shown = all.filter((one) => !held.has(one.name));
      return shown.map((one) => ({ ...cleanTexts(one), name: here.get(one.name) ?? one.name }));
    },
    async prompt(name, args, context) {
      const { here, held } = await promptTable();
      const there = [...here].find(([, ours]) => ours === name)?.[0];
      if (there === undefined) throw new ToolError("not_found", `no prompt is named ${JSON.stringify(name)}`);
      const change = held.get(there);
      if (change !== undefined) throw refusal(plan, change, name);
      const running = await session();
      const result = await running.run(async (client, options) => {
        if (plan.changes === "hold") {
          // What was cached may not be what this connection offers.
          const now = await untilAborted(options.signal, offers.changeOf("prompt", there, client));
          if (now !== undefined) throw refusal(plan, now, name);
        }
        return client.getPrompt({ name: there, arguments: { ...args } }, options);
      }, context);
      const { description } = result;
      const messages = result.messages.map((one) => ({ ...one, content: linkHere(server, one.content) }));
      return { ...(description !== undefined && { description }), messages } satisfies RemotePrompt;
    },
  };
}
