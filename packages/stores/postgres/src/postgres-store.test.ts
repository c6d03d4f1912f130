import { storeContract } from "@toolpacks/testkit";
import { beforeAll } from "vitest";
import { postgres } from "./postgres.ts";
import { startPostgres, type PostgresServer } from "./fixture.ts";

let server: PostgresServer;
let schemas = 0;
beforeAll(async () => {
  server = await startPostgres();
  return () => server.remove();
});

storeContract(async () => {
  const schema = `contract_${(schemas += 1)}`;
  return {
    open: (options) => postgres(server.address, { ...options, schema }),
    // The server goes with all its schemas.
    remove: async () => {},
  };
});
