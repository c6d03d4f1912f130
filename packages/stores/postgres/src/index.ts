export { postgres, type PostgresOptions } from "./postgres.ts";
