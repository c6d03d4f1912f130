/** An issue of a JSONL line, with its known fields. */
export interface GeneratedIssue {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly dependencies?: readonly {
    readonly depends_on_id: string;
    readonly type: string;
    readonly metadata?: string;
  }[];
  readonly [field: string]: unknown;
}

export interface Generation {
  readonly count: number;
  /** Total number of dependencies. Default: about as many per issue as in a real tracker. */
  readonly dependencies?: number;
  readonly seed?: number;
}

/** How many of a real project's 2,131 issues have each value. */
const shape = {
  status: { closed: 1_695, tombstone: 346, open: 76, hooked: 14 },
  issue_type: {
    task: 1_144,
    bug: 352,
    feature: 186,
    event: 129,
    epic: 109,
    "merge-request": 102,
    chore: 38,
    agent: 27,
    gate: 2,
  },
  priority: { 0: 112, 1: 656, 2: 1_106, 3: 213, 4: 44 },
  dependency: { blocks: 430, "parent-child": 412, "discovered-from": 70, related: 6, "relates-to": 3, supersedes: 2 },
  dependenciesPerIssue: 926 / 2_131,
} as const;

const words = [
  "cache",
  "daemon",
  "sync",
  "login",
  "parser",
  "index",
  "export",
  "timeout",
  "hook",
  "merge",
  "docs",
  "flaky",
];

/** Generates issues like those of a real tracker's file, the same for the same seed. An issue comes after its dependencies. */
export function generateIssues({ count, seed = 1, dependencies }: Generation): readonly GeneratedIssue[] {
  const random = randomNumbers(seed);
  const pick = (weights: Readonly<Record<string, number>>) => weighted(weights, random);
  const perIssue = (dependencies ?? count * shape.dependenciesPerIssue) / Math.max(1, count - 1);
  const ids: string[] = [];
  let owed = 0;
  return Array.from({ length: count }, (_, at) => {
    const parent = ids[at - 1 - random(50)];
    const isChild = parent !== undefined && random(100) < 10;
    const id = isChild ? `${parent}.${at}` : `gen-${at.toString(36).padStart(4, "0")}`;
    const created = new Date(Date.UTC(2025, 9, 1) + at * 60_000).toISOString().replace("Z", "123-08:00");
    const status = pick(shape.status);
    owed += at === 0 ? 0 : perIssue;
    const targets = new Map<string, string>();
    for (; owed >= 1; owed -= 1) {
      const target = ids[Math.max(0, at - 1 - random(200))];
      if (target !== undefined) targets.set(target, pick(shape.dependency));
    }
    ids.push(id);
    return {
      id,
      title: sentence(random, 6),
      ...(random(100) < 85 && {
        description: Array.from({ length: 1 + random(8) }, () => sentence(random, 14)).join("\n"),
      }),
      status,
      priority: Number(pick(shape.priority)),
      issue_type: pick(shape.issue_type),
      ...(random(100) < 7 && { assignee: `crew/${words[random(words.length)]}` }),
      created_at: created,
      updated_at: created,
      ...((status === "closed" || status === "tombstone") && { closed_at: created }),
      ...(status === "closed" && random(3) === 0 && { close_reason: sentence(random, 8) }),
      ...(status === "tombstone" && { deleted_at: created, deleted_by: "batch delete", original_type: "task" }),
      ...(random(100) < 3 && { labels: [`gh:${random(900)}`] }),
      ...(random(100) < 1 && {
        comments: [{ id: at, issue_id: id, author: "crew", text: sentence(random, 20), created_at: created }],
      }),
      ...(random(100) < 1 && { await_type: "gh:run", timeout: 1_800_000_000_000 }),
      ...(targets.size > 0 && {
        dependencies: [...targets].map(([depends_on_id, type]) => ({
          issue_id: id,
          depends_on_id,
          type,
          created_at: created,
          created_by: "crew",
        })),
      }),
    };
  });
}

function sentence(random: (below: number) => number, length: number): string {
  // A few words are frequent, and most are rare.
  const word = () => `${words[random(words.length)]}${random(3) === 0 ? "" : random(400)}`;
  return Array.from({ length: 2 + random(length) }, word).join(" ");
}

function weighted(weights: Readonly<Record<string, number>>, random: (below: number) => number): string {
  const entries = Object.entries(weights);
  let left = random(entries.reduce((sum, [, weight]) => sum + weight, 0));
  return entries.find(([, weight]) => (left -= weight) < 0)?.[0] ?? "";
}

/** A pseudorandom number generator with a seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
