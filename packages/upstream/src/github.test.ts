import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { roughServer } from "./rough.fixture.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

const data = fileURLToPath(new URL("../../../../shared/data/github-tools.json", import.meta.url));

/** What people say, and what does it: where two tools do the same thing, either is right. */
const sentences: readonly (readonly [say: string, right: string])[] = [
  ["open a bug report about the crash on startup", "create_issue|issue_write"],
  ["what does issue 42 say", "issue_read"],
  ["show me the open issues of this repository", "list_issues"],
  ["find issues that mention memory leaks", "search_issues"],
  ["reply to an issue with a comment", "add_issue_comment"],
  ["close an issue as not planned", "update_issue_state|issue_write"],
  ["put the label bug on an issue", "update_issue_labels|issue_write|label_write"],
  ["assign somebody to an issue", "update_issue_assignees|issue_write"],
  ["which issues block this one", "issue_dependency_read"],
  ["make one issue a child of another", "add_sub_issue|sub_issue_write"],
  ["open a pull request from my branch", "create_pull_request"],
  ["show the diff of a pull request", "pull_request_read"],
  ["merge the pull request with a squash", "merge_pull_request"],
  ["ask two people to review a pull request", "request_pull_request_reviewers|update_pull_request"],
  ["approve a pull request", "create_pull_request_review|pull_request_review_write|submit_pending_pull_request_review"],
  ["mark a review thread as resolved", "resolve_review_thread"],
  ["bring the pull request branch up to date with main", "update_pull_request_branch"],
  ["read a file from the repository", "get_file_contents"],
  ["commit several files at once", "push_files"],
  ["who last changed this line of the file", "get_file_blame"],
  ["create a branch for the fix", "create_branch"],
  ["list the latest commits on main", "list_commits"],
  ["search the code for a function name", "search_code"],
  ["why did the workflow job fail, show its logs", "get_job_logs"],
  ["run the workflow again", "actions_run_trigger"],
  ["what is the newest release", "get_latest_release"],
  ["fork the repository to my account", "fork_repository"],
  ["are there leaked secrets, list the alerts", "list_secret_scanning_alerts"],
  ["what notifications have I not read", "list_notifications"],
  ["star this repository", "star_repository"],
];

interface Listed {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

const tokens = (tools: readonly Listed[]) =>
  encode(JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))))
    .length;

describe.skipIf(!existsSync(data))(
  "a server with the 117 tools of GitHub's (skipped where ../shared/data is missing)",
  () => {
    const create = () => {
      const tools = JSON.parse(readFileSync(data, "utf8")) as object[];
      return createUpstream({ name: "github", ...roughServer("plain", { tools }) });
    };

    test("adds no tokens to the tool list", async () => {
      const offered = JSON.parse(readFileSync(data, "utf8")) as Listed[];
      const empty = await connectThrough([]);
      const { client } = await connectThrough([create()]);
      const [unmounted, mounted] = [(await empty.client.listTools()).tools, (await client.listTools()).tools];
      expect(mounted).toEqual(unmounted);
      expect(tokens(offered)).toBe(25_103);
      expect(tokens(mounted)).toBeLessThan(900);
    });

    test("at least 27 of thirty queries find the right tool among the first three results", async () => {
      const { client } = await connectThrough([create()]);
      const missed: string[] = [];
      for (const [say, right] of sentences) {
        const { content } = await client.callTool({ name: "tool_search", arguments: { query: say, limit: 3 } });
        const [first] = content;
        const found = (first?.type === "text" ? first.text : "").matchAll(/^github_(\w+)\(/gm);
        const names = [...found].map(([, name = ""]) => name);
        if (!names.some((name) => right.split("|").includes(name))) missed.push(`${say}: ${names.join(", ")}`);
      }
      expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(sentences.length - 27);
    });
  },
);
