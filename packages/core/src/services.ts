import { isStore } from "./store-schema.ts";
import type { Store } from "./store.ts";

/** Writes to a server's log. */
export interface PackLog {
  error(message: string, cause?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

/** The services of a server. A pack gets the services in its `needs`. */
export interface Services {
  /** Stores records in the workspace of the running call. */
  readonly store: Store;
  readonly log: PackLog;
}

export type ServiceName = keyof Services;

/** The services as a caller of a pack's factory passes them among the options. Without `log`, messages go to stderr. */
export type ServiceOptions<Need extends ServiceName> = Pick<Services, Exclude<Need, "log">> &
  Partial<Pick<Services, Need & "log">>;

const stderrLog: PackLog = {
  error: (message, cause) => console.error(message, ...(cause === undefined ? [] : [cause])),
  warn: (message) => console.error(message),
  info: (message) => console.error(message),
  debug: () => {},
};

/** Reads a service from its option, or uses the default. Undefined if there is neither. */
const readService: { readonly [Name in ServiceName]: (option: unknown) => Services[Name] | undefined } = {
  store: (option) => (isStore(option) ? option : undefined),
  log: (option) => (option === undefined ? stderrLog : (option as PackLog)),
};

/**
 * Separates the services that a pack needs from the options of its factory.
 *
 * @throws Error naming the missing service and where to get one
 */
export function splitServices<Need extends ServiceName>(
  pack: string,
  needs: readonly Need[],
  input: unknown,
): { readonly services: Pick<Services, Need>; readonly options: unknown } {
  if (needs.length === 0) return { services: {} as Pick<Services, Need>, options: input };
  const options: Record<string, unknown> = { ...(input as object | undefined) };
  const services: Partial<Services> = {};
  for (const name of needs) {
    const service = readService[name](options[name]);
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
