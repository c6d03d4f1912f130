export { absolutePaths } from "./absolute-path.ts";
export { type BudgetReport, type CountTokens, measureBudget, promptMetadata } from "./budget.ts";
export { type CallCount, createCallCount } from "./call-count.ts";
export { canonicalJson } from "./canonical-json.ts";
export { type Catalog, type CatalogOptions, type FullCatalog, createCatalog } from "./catalog.ts";
export { defaultWorkspace } from "./default-workspace.ts";
export { type PackDefinition, type PackFactory, type PackParts, createPack, definePack } from "./define-pack.ts";
export { type ForeignToolDefinition, type ToolDefinition, defineForeignTool, defineTool } from "./define-tool.ts";
export { definedOnly } from "./defined-only.ts";
export { type Dispatcher, type DispatcherOptions, checkArguments, createDispatcher } from "./dispatch.ts";
export { errorText } from "./error-text.ts";
export { estimateTokens } from "./estimate-tokens.ts";
export { handleIn, handleReader, holdsHandle } from "./handle.ts";
export type { Call, CallEnd, CallObserver, Interceptor, ObservedCall } from "./interceptor.ts";
export {
  type Compaction,
  listOption,
  type ListPage,
  listSchema,
  listWithTotal,
  pageSize,
  renderList,
  withoutCompaction,
} from "./list.ts";
export { type ListedTool, type ToolAnnotations, listTool } from "./listed-tool.ts";
export { type AskedModel, type ModelResult, isModelResult, modelResult } from "./model-result.ts";
export {
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
  failedReply,
  isReply,
  renderFailure,
  reply,
  resultsModes,
  toCallToolResult,
} from "./outcome.ts";
export { type Pack, type RegisterOptions, type Withheld, coreFacet, listedTools } from "./pack.ts";
export { registerPacks } from "./register-packs.ts";
export { principalName, principalOf } from "./principal.ts";
export {
  type Prompt,
  type PromptArgument,
  type PromptContext,
  type PromptMessage,
  type PromptSource,
  renderPrompt,
} from "./prompt.ts";
export type { Condition, Filter, Query, Range, Scalar } from "./query.ts";
export { asAnswer, newSessionId, requestContext } from "./register-tools.ts";
export type {
  ListedPrompt,
  ListedResource,
  ListedResourceTemplate,
  PackResources,
  Remote,
  RemoteContext,
  RemotePrompt,
} from "./remote.ts";
export { type Grant, type Rights, isGranted, isRestricted, namesOf, rightsKey } from "./rights.ts";
export type { PackLog, ServiceName, ServiceOptions, Services } from "./services.ts";
export { splitLines } from "./split-lines.ts";
export { type StepTypeDefinition, defineStepType } from "./step-type.ts";
export { storeSchema } from "./store-schema.ts";
export type {
  ArchiveLine,
  Change,
  Closing,
  FieldPath,
  IndexedField,
  Kind,
  OwnedStore,
  Page,
  Patch,
  PatchOptions,
  PutOptions,
  RecordData,
  RecurringRecords,
  RestrictedStore,
  Ruling,
  Store,
  Stored,
  TimeRange,
  WorkspaceAccess,
} from "./store.ts";
export { todayText } from "./today-text.ts";
export { type ErrorCode, type Failure, ToolError, errorCodes } from "./tool-error.ts";
export type { ToolHost } from "./tool-host.ts";
export type {
  CatalogEntry,
  ClientAccess,
  DispatchRequest,
  Effects,
  FileEffect,
  Elicit,
  ElicitAnswer,
  Example,
  InputRequest,
  InputResponse,
  Intent,
  LogLevel,
  Resolution,
  Sample,
  StepType,
  Tool,
  ToolAccess,
  ToolContext,
  ToolNames,
  ToolUse,
} from "./tool.ts";
export {
  type SpanInfo,
  type SpanRunner,
  type TraceContext,
  formatTraceparent,
  inSpan,
  parseTraceparent,
  traceMeta,
} from "./trace-context.ts";
export { createPace, type Pace } from "./pace.ts";
export { untilAborted } from "./until-aborted.ts";
export { type TimeoutOptions, withTimeout } from "./with-timeout.ts";
export { isSecretField, maskArgument, maskText, maskValue, mayHoldSecret, secretMask } from "./mask-secrets.ts";
export { defineKind, kindNamePattern, reservedFields, type KindDefinition } from "./define-kind.ts";
export {
  type CheckResult,
  clip,
  closest,
  describeIssues,
  detail,
  detailKeyword,
  foreignSchema,
  isObject,
  type JsonSchema,
  jsonValue,
  listed,
  listedKeyword,
  nearest,
  type ObjectSchema,
  quoteName,
  type Schema,
  type ToolSchema,
  unlisted,
  unlistedKeyword,
  visibleJson,
  visibleText,
  exceededMessage,
  measure,
  type ValueBounds,
  type ValueSize,
} from "@toolpacks/schema";
export { ConfigurationError } from "./configuration-error.ts";
