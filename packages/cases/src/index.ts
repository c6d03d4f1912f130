export { CaseError } from "./case-error.ts";
export { checkIds, readCaseFile, type CaseFile } from "./case-file.ts";
export type { Conversation, MadeCall, TokenCount } from "./conversation.ts";
export { rules, type Breach, type Rule } from "./judge/breach.ts";
export { readProfile, type Profile, type ProfileOverrides } from "./model/profile.ts";
export { openTools, type OfferedTool, type OpenTools } from "./open-tools.ts";
export { runCase, type CaseResult, type RunCaseOptions } from "./run-case.ts";
export { simulated } from "./simulated/simulated.ts";
export { packClient, type ToolClient } from "./tool-client.ts";
