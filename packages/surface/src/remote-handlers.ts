import { requestContext, ToolError, type Pack, type Remote } from "@toolpacks/core";

/** A request of either SDK. */
interface RemoteRequest {
  readonly params?: {
    readonly uri?: string;
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, string>>;
  };
}

export type RemoteHandler = (request: RemoteRequest, raw: unknown) => Promise<object>;

/** Both SDKs answer with this JSON-RPC code when it is on an error. */
const codes: Partial<Record<ToolError["code"], number>> = { not_found: -32_002, invalid_input: -32_602 };

/** Resources and prompts of the servers behind the packs, by method. Tools stay behind the surface; these are for people to choose from. */
export function remoteHandlers(packs: () => readonly Pack[]): Readonly<Record<string, RemoteHandler>> {
  const remotes = () => packs().flatMap(({ remote }) => remote ?? []);
  const all = async <Item>(of: (remote: Remote) => Promise<readonly Item[]>) =>
    (await Promise.all(remotes().map(of))).flat();
  return {
    "resources/list": async () => ({ resources: await all((remote) => remote.resources()) }),
    "resources/templates/list": async () => ({ resourceTemplates: await all((remote) => remote.resourceTemplates()) }),
    "resources/read": ({ params: { uri = "" } = {} }, raw) =>
      answering(async () => {
        const remote = remotes().find((one) => one.owns(uri));
        if (remote === undefined) throw new ToolError("not_found", `there is no resource ${uri.slice(0, 200)}`);
        return { contents: await remote.read(uri, requestContext(raw)) };
      }),
    "prompts/list": async () => ({ prompts: await all((remote) => remote.prompts()) }),
    "prompts/get": ({ params: { name = "", arguments: args = {} } = {} }, raw) =>
      answering(async () => {
        const matching = remotes().filter(({ prefix }) => name.startsWith(prefix));
        // Of `git_` and `git_lab_`, the longer.
        const [remote] = matching.sort((a, b) => b.prefix.length - a.prefix.length);
        if (remote === undefined) throw new ToolError("invalid_input", `no prompt is named ${name.slice(0, 200)}`);
        return { ...(await remote.prompt(name, args, requestContext(raw))) };
      }),
  };
}

async function answering(answer: () => Promise<object>): Promise<object> {
  try {
    return await answer();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
    throw Object.assign(new Error(text), { code: codes[error.code] ?? -32_603 });
  }
}
