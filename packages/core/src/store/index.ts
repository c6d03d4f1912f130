export { createStore, type StoreOptions } from "./create-store.ts";
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
export { damagedRecord } from "./damaged-record.ts";
export { describeKind, type KindFacts } from "./describe-kind.ts";
export { unknownKind } from "./tools/kind-directory.ts";
export { storePack, type StorePackOptions } from "./tools/store-pack.ts";
export { noticeEmptyQueries } from "./empty-queries.ts";
export { followWorkspace, runInWorkspace } from "./follow-workspace.ts";
export { removeOld, type RemoveOldOptions, type Retention } from "./remove-old.ts";
export { newRecordId, recordIdTime } from "./new-record-id.ts";
export { notifyListeners } from "./notify-listeners.ts";
export { checkStoredLayout, isKindName } from "./stored-layout.ts";
export { recordWords, textWords } from "./text-words.ts";
export { findLabelled, labelWorkspaces } from "./workspace-labels.ts";
export { valueAt } from "./value-at.ts";
export { createWriteBehind, type LateWrite, type WriteBehind, type WriteBehindOptions } from "./write-behind.ts";
