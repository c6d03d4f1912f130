export { callerStore } from "./caller-store.ts";
export { contentOf, contentWords } from "./content-words.ts";
export { type StoreOptions, createStore } from "./create-store.ts";
export { damagedRecord } from "./damaged-record.ts";
export type {
  DriverReader,
  DriverTransaction,
  FindResult,
  KindLayout,
  NewRow,
  Operation,
  PlanField,
  Predicate,
  QueryPlan,
  Row,
  StoreDriver,
  TextWords,
} from "./driver.ts";
export { type ElsewhereOptions, sayElsewhere } from "./empty-queries.ts";
export { type UnpagedQuery, everyRecord } from "./every-record.ts";
export { runInWorkspace } from "./follow-workspace.ts";
export { type KindFacts, describeKind } from "./kind-layout.ts";
export { holdsUnstorableText } from "./holds-unstorable-text.ts";
export { type KeepVersions, keepVersions } from "./kept-versions.ts";
export type { RecordVersion } from "./record-version.ts";
export { newRecordId } from "./new-record-id.ts";
export { notifyListeners } from "./notify-listeners.ts";
export { isRecordId, maxIdLength } from "./record-id.ts";
export { damagedHint, recordList } from "./record-list.ts";
export { type RemoveOldOptions, type Retention, removeOld } from "./remove-old.ts";
export { searchText } from "./search-text.ts";
export { checkStoredLayout, isKindName } from "./stored-layout.ts";
export type { TextEmbedder } from "./text-embedder.ts";
export { recordWords, textWords } from "./text-words.ts";
export { unknownKind } from "./tools/kind-directory.ts";
export { type StorePackOptions, storePack } from "./tools/store-pack.ts";
export { valueAt } from "./value-at.ts";
export { createMeasure } from "./values/measure.ts";
export {
  type StoredValue,
  type ValueTarget,
  readParts,
  removeValue,
  removeValuesOf,
  valueKind,
  valueOwner,
  valuePartKind,
  writeValue,
} from "./values/stored-value.ts";
export { encodeValueId, isValueId, newValueId } from "./values/value-id.ts";
export { type ByteRange, type ValueInfo, type ValueInput, clipRange, wholeBytes } from "./values/value.ts";
export { findLabelled, labelWorkspaces } from "./workspace-labels.ts";
export { type LateWrite, type WriteBehind, type WriteBehindOptions, createWriteBehind } from "./write-behind.ts";
