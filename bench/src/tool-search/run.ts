// `pnpm bench:tool-search`: recall, latency and tokens of tool search, compared with simpler methods in the same run.
import { measureDiscovery } from "./discovery-tokens.ts";
import { measureLatency } from "./latency.ts";
import { peers, toolpacks, toolpacksByWords } from "./rankers.ts";
import { meanRecall, measureRecall, type Recall } from "./recall.ts";
import { half, readGithubSet, readPublicSets, type ToolSet } from "./tool-sets.ts";
import { withTypo } from "./typo.ts";

const percent = (share: number) => (100 * share).toFixed(1);
const short = ({ at1, at5, reciprocalRank }: Recall) =>
  `${percent(at1)} / ${percent(at5)} / ${reciprocalRank.toFixed(2)}`;

const rankers = [...peers, toolpacksByWords, toolpacks];
const sets = readPublicSets();
const github = readGithubSet();
if (sets === undefined || github === undefined)
  console.log(
    "Other people's tools are not beside this repository (../shared/data): only generated ones are measured.",
  );

if (github !== undefined) {
  console.log(`${github.tools.length} tools of GitHub's MCP server, ${github.questions.length} sentences, recall in %`);
  console.table(
    await Promise.all(
      rankers.map(async (ranker) => {
        const { at1, at3, at5, at10, reciprocalRank } = await measureRecall(ranker, github);
        const recalls = { "@1": percent(at1), "@3": percent(at3), "@5": percent(at5), "@10": percent(at10) };
        return { ranker: ranker.name, ...recalls, MRR: reciprocalRank.toFixed(3) };
      }),
    ),
  );
  await measureDiscovery(github);
}

if (sets !== undefined) {
  await tell("held out", sets);
  await tell("tuned on", sets);
  console.log("toolpacks with one slip per sentence, all questions");
  const slips = await Promise.all(sets.map(async (set) => measureRecall(toolpacks, set, withTypo)));
  const unchanged = await Promise.all(sets.map(async (set) => measureRecall(toolpacks, set)));
  console.table([row("none", unchanged, sets), row("one", slips, sets)]);
}
measureLatency(sets ?? []);

async function tell(which: "held out" | "tuned on", all: readonly ToolSet[]): Promise<void> {
  console.log(`questions ${which}: recall@1 / recall@5 in % / MRR`);
  const halves = all.map((set) => half(set, which));
  console.table(
    await Promise.all(
      rankers.map(async (ranker) => {
        const recalls = await Promise.all(halves.map(async (set) => measureRecall(ranker, set)));
        return row(ranker.name, recalls, all);
      }),
    ),
  );
}

function row(name: string, recalls: readonly Recall[], all: readonly ToolSet[]): Record<string, string> {
  const cells = all.map((set, at) => [set.name, short(recalls[at] ?? meanRecall([]))] as const);
  return { "": name, ...Object.fromEntries(cells), mean: short(meanRecall(recalls)) };
}
