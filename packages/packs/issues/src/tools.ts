import type { Tool } from "@toolpacks/core";
import { createRoots } from "@toolpacks/files";
import type { IssuesContext } from "./context.ts";
import { issueBlocked } from "./tools/issue-blocked.ts";
import { issueClaim } from "./tools/issue-claim.ts";
import { issueClose } from "./tools/issue-close.ts";
import { issueComment } from "./tools/issue-comment.ts";
import { issueCreate } from "./tools/issue-create.ts";
import { issueDepend } from "./tools/issue-depend.ts";
import { issueExport } from "./tools/issue-export.ts";
import { issueImport } from "./tools/issue-import.ts";
import { issueLabel } from "./tools/issue-label.ts";
import { issueList } from "./tools/issue-list.ts";
import { issueReady } from "./tools/issue-ready.ts";
import { issueRelease } from "./tools/issue-release.ts";
import { issueReopen } from "./tools/issue-reopen.ts";
import { issueShow } from "./tools/issue-show.ts";
import { issueStats } from "./tools/issue-stats.ts";
import { issueTree } from "./tools/issue-tree.ts";
import { issueUpdate } from "./tools/issue-update.ts";

interface Options extends Omit<IssuesContext, "roots"> {
  readonly roots: readonly string[];
  readonly write: boolean;
  readonly protectedPaths: readonly string[];
}

const creators = [
  issueReady,
  issueList,
  issueShow,
  issueBlocked,
  issueTree,
  issueStats,
  issueCreate,
  issueUpdate,
  issueClaim,
  issueRelease,
  issueClose,
  issueReopen,
  issueDepend,
  issueComment,
  issueLabel,
  issueImport,
  issueExport,
];

export function createTools({ roots, protectedPaths, ...options }: Options): readonly Tool[] {
  const context = { ...options, roots: roots.length === 0 ? undefined : createRoots(roots, { protectedPaths }) };
  return creators.map((create) => create(context));
}
