export { measureBudget, promptMetadata, type BudgetReport, type CountTokens } from "./budget.ts";
export { createCatalog, type Catalog, type CatalogOptions, type FullCatalog } from "./catalog.ts";
export { detail, detailKeyword, listed, listedKeyword, unlisted, unlistedKeyword } from "./detail.ts";
export { ConfigurationError } from "./configuration-error.ts";
export { definedOnly, type DefinedOnly } from "./defined-only.ts";
export { absolutePath } from "./absolute-path.ts";
export { canonicalJson } from "./store/canonical-json.ts";
export { errorText } from "./error-text.ts";
export { isObject } from "./is-object.ts";
export { quoteName, visibleJson, visibleText } from "./roots/quote-name.ts";
export { checkArguments, createDispatcher, type Dispatcher, type DispatcherOptions } from "./dispatch.ts";
export type { PackLog, ServiceName, ServiceOptions, Services } from "./services.ts";
export { estimateTokens } from "./estimate-tokens.ts";
export { handleIn, holdsHandle } from "./handle.ts";
export { todayText } from "./today-text.ts";
export { asAnswer, newSessionId, requestContext } from "./register-tools.ts";
export type { ToolHost } from "./tool-host.ts";
export type { Call, CallEnd, CallObserver, Interceptor, ObservedCall } from "./interceptor.ts";
export type { JsonSchema } from "./json-schema.ts";
export { listSchema, pageSize, renderList, type Compaction, type ListPage } from "./list.ts";
export { listTool, type ListedTool, type ToolAnnotations } from "./listed-tool.ts";
export { closest, nearest } from "./nearest.ts";
export type { ObjectSchema, Schema } from "./object-schema.ts";
export {
  failedReply,
  isReply,
  renderFailure,
  reply,
  resultsModes,
  toCallToolResult,
  type CallToolResult,
  type ContentBlock,
  type EmbeddedResource,
  type Failed,
  type Outcome,
  type Reply,
  type ResourceLink,
  type ResultMeta,
  type ResultsMode,
  type Success,
} from "./outcome.ts";
export { coreFacet, listedTools, type Pack, type RegisterOptions, type Withheld } from "./pack.ts";
export { createPack, definePack, type PackDefinition, type PackFactory, type PackParts } from "./define-pack.ts";
export { principalName, principalOf } from "./principal.ts";
export { describeIssues } from "./problems.ts";
export {
  renderPrompt,
  type Prompt,
  type PromptArgument,
  type PromptContext,
  type PromptMessage,
  type PromptSource,
} from "./prompt.ts";
export type {
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  PackResources,
  Remote,
  RemoteContext,
  RemotePrompt,
} from "./remote.ts";
export { isNameGranted, isRestricted, namesOf, rightsKey, type Grant, type Rights } from "./rights.ts";
export { foreignSchema } from "./foreign-schema.ts";
export type { CheckResult, ToolSchema } from "./schema.ts";
export { isModelResult, modelResult, type AskedModel, type ModelResult } from "./model-result.ts";
export { defineStepType, type StepTypeDefinition } from "./step-type.ts";
export { defaultWorkspace } from "./store/default-workspace.ts";
export { sayElsewhere, type ElsewhereOptions } from "./store/empty-queries.ts";
export { everyRecord, type UnpagedQuery } from "./store/every-record.ts";
export { holdsUnstorableText } from "./store/holds-unstorable-text.ts";
export { isDeeper } from "./store/is-deeper.ts";
export { callerStore } from "./store/caller-store.ts";
export { defineKind, type KindDefinition } from "./store/define-kind.ts";
export type {
  ArchiveLine,
  Change,
  Closing,
  IndexedField,
  Kind,
  KindAliases,
  OwnedStore,
  RestrictedStore,
  Page,
  Patch,
  PatchOptions,
  PutOptions,
  RecordData,
  RecurringRecords,
  Ruling,
  Store,
  Stored,
  TimeRange,
  WorkspaceAccess,
} from "./store/store.ts";
export type { Condition, Filter, Query, Range, Scalar } from "./store/query.ts";
export { storeSchema } from "./store/store-schema.ts";
export { isRecordId, maxIdLength } from "./store/record-id.ts";
export { damagedHint, recordList } from "./store/record-list.ts";
export { defineForeignTool, defineTool, type ForeignToolDefinition, type ToolDefinition } from "./define-tool.ts";
export type {
  CatalogEntry,
  ClientAccess,
  DispatchRequest,
  Effects,
  Elicit,
  ElicitAnswer,
  Sample,
  Example,
  InputRequest,
  InputResponse,
  Intent,
  LogLevel,
  Resolution,
  StepType,
  Tool,
  ToolAccess,
  ToolContext,
  ToolNames,
  ToolUse,
} from "./tool.ts";
export { splitLines } from "./split-lines.ts";
export {
  formatTraceparent,
  inSpan,
  parseTraceparent,
  traceMeta,
  type SpanInfo,
  type SpanRunner,
  type TraceContext,
} from "./trace-context.ts";
export { withTimeout, type TimeoutOptions } from "./with-timeout.ts";
export { errorCodes, ToolError, type ErrorCode, type Failure } from "./tool-error.ts";
