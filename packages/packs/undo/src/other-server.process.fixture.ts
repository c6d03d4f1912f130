// A server of undo in another process, which makes calls by messages: `{ open }` a folder, `{ call }` a tool, `{ end }` the server.
import { fork } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openServer, type Server, type SharedPlaces } from "./random-sessions.fixture.ts";
import type { Undoable } from "./undo.fixture.ts";

type Request =
  | { readonly open: SharedPlaces }
  | { readonly call: Parameters<Undoable["call"]> }
  | { readonly end: true };

interface Answer {
  readonly id: number;
  readonly error?: string;
  readonly value?: Readonly<Record<string, unknown>>;
}

/** Starts the process. It opens one server after the other. */
export function startOtherProcess() {
  const child = fork(fileURLToPath(import.meta.url), [], { execArgv: ["--conditions=@toolpacks/source"] });
  const asked = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  child.on("message", ({ id, error, value }: Answer) => {
    if (error === undefined) asked.get(id)?.resolve(value ?? {});
    else asked.get(id)?.reject(new Error(error));
  });
  const ask = (request: Request) => {
    const answer = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    child.send({ id: asked.size, request });
    asked.set(asked.size, answer);
    return answer.promise;
  };
  return {
    open: async (places: SharedPlaces): Promise<Server> => {
      await ask({ open: places });
      return { call: (...call) => ask({ call }), end: async () => void (await ask({ end: true })) };
    },
    stop: () => child.kill(),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  let server: Undoable | undefined;
  const answer = async (request: Request) => {
    if ("open" in request) server = openServer(request.open);
    else if ("call" in request) return server?.call(...request.call);
    else await server?.end();
    return {};
  };
  process.on("message", ({ id, request }: { readonly id: number; readonly request: Request }) => {
    answer(request).then(
      (value) => process.send?.({ id, value }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
  });
}
