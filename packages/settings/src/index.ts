export { ConfigurationError } from "@toolpacks/core";
export type { ConfigDefinition, ConfigFile, SettingsIo } from "./config-definition.ts";
export { configIn, findConfig, readConfig } from "./config-file.ts";
export { describeMistakes, type Mistake } from "./config-mistakes.ts";
export { trustState } from "./config-warnings.ts";
export {
  loadSettings,
  oneOf,
  splitNames,
  type Flags,
  type LoadedSettings,
  type Resolved,
  type Setting,
  type SettingSource,
  type SettingSources,
  type Source,
} from "./load-settings.ts";
export { problemLocator } from "./locate-problem.ts";
export { packModule } from "./pack-module.ts";
export { canonicalPath } from "./trust-records.ts";
export { inspectTrust, listTrusted, revokeTrust, type TrustDecision } from "./trust.ts";
export type { ConfigFlags } from "./open-config.ts";
export {
  ignore,
  keep,
  keepEntries,
  keepIf,
  restrictConfig,
  type IgnoredSetting,
  type RestrictedConfig,
  type UntrustedRule,
  type UntrustedRules,
  type Verdict,
} from "./untrusted-rules.ts";
export type { UsedFile } from "./used-file.ts";
export { userFolders, type UserFolders } from "@toolpacks/terminal";
export { watchConfig } from "./watch-config.ts";
