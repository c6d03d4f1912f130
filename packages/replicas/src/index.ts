export { openReplicas, type Replicas } from "./replicas.ts";
