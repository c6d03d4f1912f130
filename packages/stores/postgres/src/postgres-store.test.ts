import { storeContract } from "@toolpacks/testkit";
import { beforeAll } from "vitest";
import { postgres } from "./index.ts";
import { createDatabase, type TestDatabase } from "./fixture/index.ts";

let server: TestDatabase;
let schemas = 0;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
});

storeContract(async () => {
  const schema = `contract_${(schemas += 1)}`;
  return {
    open: (options) => postgres(server.address, { ...options, schema }),
    // The database goes with all its schemas.
    remove: async () => {},
  };
});
