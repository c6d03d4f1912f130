import { ToolError, type ListedResource, type PackResources, type Remote } from "@toolpacks/core";
import { protocolAnswer } from "./protocol-answer.ts";
import type { AnswerInRounds } from "./request-rounds.ts";
import type { Handlers } from "./protocol-server.ts";

interface Sources {
  readonly inRounds: AnswerInRounds;
  readonly own: () => readonly PackResources[];
  readonly remotes: () => readonly Remote[];
}

/** Handlers for the resources of our packs and of other servers. */
export function resourceHandlers({ inRounds, own, remotes }: Sources): Handlers {
  const all = async <Item>(of: (remote: Remote) => Promise<readonly Item[]>) =>
    (await Promise.all(remotes().map(of))).flat();
  return {
    "resources/list": async () => ({
      resources: firstOfEach([
        ...own().flatMap(({ list = [] }) => list),
        ...(await all((remote) => remote.resources())),
      ]),
    }),
    "resources/templates/list": async () => ({
      resourceTemplates: [
        ...own().flatMap(({ templates = [] }) => templates),
        ...(await all((remote) => remote.resourceTemplates())),
      ],
    }),
    "resources/read": ({ params: { uri = "" } = {} }: { readonly params?: { readonly uri?: string } }, raw) =>
      inRounds({ raw, name: "resources/read", args: uri }, (context) =>
        protocolAnswer(
          async () => {
            const ours = own().find((one) => one.owns(uri));
            if (ours !== undefined) return { contents: await ours.read(uri, context) };
            const all = remotes();
            const owned = await Promise.all(all.map(async (one) => one.owns(uri)));
            const remote = all[owned.indexOf(true)];
            if (remote === undefined) throw new ToolError("not_found", `there is no resource ${uri.slice(0, 200)}`);
            return { contents: await remote.read(uri, context) };
          },
          { raw, data: { uri } },
        ),
      ),
  };
}

/** Without later resources of a URI that is listed before: servers share the scheme `ui://`, and the first reads it. */
function firstOfEach(resources: readonly ListedResource[]): readonly ListedResource[] {
  const uris = new Set<string>();
  return resources.filter(({ uri }) => !uris.has(uri) && uris.add(uri));
}
