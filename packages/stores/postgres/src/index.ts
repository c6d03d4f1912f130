export { inspectPostgres, type PostgresInspection } from "./inspect.ts";
export { postgres, type PostgresOptions } from "./postgres.ts";
