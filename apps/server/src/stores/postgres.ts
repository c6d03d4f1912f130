import type { BundledDriver } from "./bundled-driver.ts";

const addressFormat = "postgres://user:password@host/database";
const exchangeSchema = "toolpacks_replicas";

/** Stores in PostgreSQL databases. */
export const postgresDriver: BundledDriver = {
  name: "PostgreSQL",
  addressFormat,
  isShared: true,
  matches: (address) => /^postgres(ql)?:\/\//i.test(address),
  addressProblem: (address) =>
    isUsable(address)
      ? undefined
      : `not a PostgreSQL address; expected ${addressFormat}, in a password / as %2F, @ as %40 and % as %25`,
  describe: redactPasswords,
  async open(address, { store, connectTimeoutMs }) {
    const { postgres } = await import("@toolpacks/store-postgres");
    return postgres(address, { ...store, timeoutMs: connectTimeoutMs });
  },
  async openExchange(address) {
    const { postgres } = await import("@toolpacks/store-postgres");
    return postgres(address, { schema: exchangeSchema, connections: 4, maxWorkspaceBytes: false });
  },
  openRateLimiter: async (address) =>
    (await import("@toolpacks/store-postgres/rate-limiter")).postgresRateLimiter(address, exchangeSchema),
  inspect: async (address) => (await import("@toolpacks/store-postgres")).inspectPostgres(address),
  backup: { program: "pg_dump" },
};

/** Removes passwords from an address. Of an ambiguous address, only the part after the last `@` is kept. */
function redactPasswords(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || `${url.pathname}${url.search}${url.hash}`.includes("@")) {
    const host = address.includes("@") ? address.slice(address.lastIndexOf("@")) : "";
    return `postgres://***${host.replaceAll(/([?&][^=&]*)=[^&#]*/g, "$1=***")}`;
  }
  if (url.password !== "") url.password = "***";
  for (const name of new Set(url.searchParams.keys())) if (/pass/i.test(name)) url.searchParams.set(name, "***");
  return url.href;
}

/** Whether the driver can parse an address. */
function isUsable(address: string): boolean {
  // An address for a socket has no host: `user:password@/database?host=/run`.
  const url = URL.parse(address.replace("@/", "@localhost/"));
  return url !== null && [url.username, url.password, url.pathname].every(isDecodable);
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}
