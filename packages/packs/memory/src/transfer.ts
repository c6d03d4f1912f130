// A separate entry: a server that only serves the pack does not load it.
export { importTranscript, type ImportedTranscript } from "./episodes/import-transcript.ts";
export { exportGraph } from "./graph-file/export-graph.ts";
export { importGraph, type ImportedGraph } from "./graph-file/import-graph.ts";
export { sessionState } from "./states/session-state.ts";
