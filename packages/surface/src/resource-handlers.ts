import { requestContext, ToolError, type Remote } from "@toolpacks/core";
import { protocolAnswer } from "./protocol-answer.ts";
import type { Handlers } from "./serve-methods.ts";

interface ReadRequest {
  readonly params?: { readonly uri?: string };
}

/** Resources of the servers behind the packs. Tools stay behind the surface; these are for people to choose from. */
export function resourceHandlers(remotes: () => readonly Remote[]): Handlers {
  const all = async <Item>(of: (remote: Remote) => Promise<readonly Item[]>) =>
    (await Promise.all(remotes().map(of))).flat();
  return {
    "resources/list": async () => ({ resources: await all((remote) => remote.resources()) }),
    "resources/templates/list": async () => ({ resourceTemplates: await all((remote) => remote.resourceTemplates()) }),
    "resources/read": ({ params: { uri = "" } = {} }: ReadRequest, raw) =>
      protocolAnswer(async () => {
        const remote = remotes().find((one) => one.owns(uri));
        if (remote === undefined) throw new ToolError("not_found", `there is no resource ${uri.slice(0, 200)}`);
        return { contents: await remote.read(uri, requestContext(raw)) };
      }),
  };
}
