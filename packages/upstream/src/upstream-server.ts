import path from "node:path";
import { Offers, type OfferFiles } from "./offers.ts";
import type { UpstreamPlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import type { Session } from "./session.ts";
import { snakeCase } from "./tool-names.ts";
import { userFolders } from "@toolpacks/terminal";

/** A server and what is known of it. The SDK is loaded at the first connection. */
export interface UpstreamServer {
  readonly plan: UpstreamPlan;
  /** The beginning of the names of its tools and prompts here. */
  readonly prefix: string;
  readonly offers: Offers;
  /** Storage of accepted tools and of the sign-in. */
  readonly state: () => Promise<RemoteState>;
  readonly session: () => Promise<Session>;
  /** Connects and reads the offer. @throws ToolError when it cannot be reached */
  readonly ask: () => Promise<void>;
  readonly end: () => Promise<void>;
}

export function createServer(plan: UpstreamPlan): UpstreamServer {
  const own = userFolders("toolpacks", process.env);
  const cache = path.join(plan.cacheDirectory ?? own.cache, "upstream");
  const data = path.join(plan.dataDirectory ?? own.data, "upstream");
  let made: Promise<Session> | undefined;
  let files: Promise<OfferFiles> | undefined;
  let opened: Promise<RemoteState> | undefined;
  const state = () => (opened ??= openState(plan, data));
  const session = () => {
    made ??= Promise.all([import("./session.ts"), state()]).then(
      ([{ Session }, storage]) =>
        new Session(plan, {
          state: storage,
          era: () => offers.latest?.offer.era,
          onConnected: (client) => void offers.refresh(client),
          // If it fails, the next connection reads the offer.
          onListChanged: () => void ask().catch(() => {}),
        }),
    );
    return made;
  };
  const use = async (work: Parameters<Session["run"]>[0]) => {
    await (
      await session()
    ).run(work, { signal: new AbortController().signal, progress: async () => {}, principal: "" });
  };
  const offers = new Offers({
    plan,
    files: () => (files ??= openFiles(plan, cache, state)),
    connect: () => use(async () => {}),
  });
  const ask = () => use((client) => offers.refresh(client));
  return {
    plan,
    prefix: `${snakeCase(plan.name)}_`,
    offers,
    state,
    session,
    ask,
    async end() {
      await (await made)?.end();
    },
  };
}

async function openState({ state }: UpstreamPlan, directory: string): Promise<RemoteState> {
  return state ?? (await import("./file-state.ts")).createFileState(directory);
}

async function openFiles(plan: UpstreamPlan, cache: string, state: () => Promise<RemoteState>): Promise<OfferFiles> {
  const [{ createOfferCache }, { createAcceptance }, opened] = await Promise.all([
    import("./offer-cache.ts"),
    import("./acceptance.ts"),
    state(),
  ]);
  return { cache: createOfferCache(cache, plan), acceptance: createAcceptance(opened, plan) };
}
