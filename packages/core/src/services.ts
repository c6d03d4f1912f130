import type { Store } from "./store/store.ts";

/** Writes to a server's log. */
export interface PackLog {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

/** What a server hands to the packs that declare it in `needs`. */
export interface Services {
  /** Keeps records, in the workspace of the running call. */
  readonly store: Store;
  readonly log: PackLog;
}

export type ServiceName = keyof Services;

/** The services as a caller of a pack's factory passes them, among the options. Without a log, messages go to stderr. */
export type ServiceOptions<Need extends ServiceName> = Pick<Services, Exclude<Need, "log">> &
  Partial<Pick<Services, Need & "log">>;

const stderrLog: PackLog = {
  error: (message, cause) => console.error(message, ...(cause === undefined ? [] : [cause])),
  warn: (message) => console.error(message),
  info: (message) => console.error(message),
  debug: () => {},
};

/** Gives the service that was passed, or what stands in for it; undefined where there is none. */
const take: { readonly [Name in ServiceName]: (given: unknown) => Services[Name] | undefined } = {
  store: (given) => (isStore(given) ? given : undefined),
  log: (given) => (given === undefined ? stderrLog : (given as PackLog)),
};

/**
 * Takes the services that a pack needs out of what its factory was called with.
 *
 * @throws Error naming the service that is missing, and where to get one
 */
export function takeServices<Need extends ServiceName>(
  pack: string,
  needs: readonly Need[],
  input: unknown,
): { readonly services: Pick<Services, Need>; readonly options: unknown } {
  if (needs.length === 0) return { services: {} as Pick<Services, Need>, options: input };
  const options: Record<string, unknown> = { ...(input as object | undefined) };
  const services: Partial<Services> = {};
  for (const name of needs) {
    const service = take[name](options[name]);
    if (service === undefined) {
      throw new Error(
        `${pack}: needs a ${name}: pass {${name}}, such as sqlite("records.db") of @toolpacks/store-sqlite`,
      );
    }
    Object.assign(services, { [name]: service });
    delete options[name];
  }
  return { services: services as Pick<Services, Need>, options };
}

function isStore(value: unknown): value is Store {
  return typeof value === "object" && value !== null && "transaction" in value;
}
