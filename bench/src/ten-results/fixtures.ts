/** Generated texts of the same ten forms as the real results, each large enough to be boxed. */
import type { TreeEntry } from "./tree-questions.ts";

const many = <One>(count: number, make: (at: number) => One) => Array.from({ length: count }, (_, at) => make(at));

const movies = many(700, (at) => ({
  Title: `Film ${at}`,
  "MPAA Rating": at % 7 === 0 ? null : at % 3 === 0 ? "PG" : "R",
  "Production Budget": at % 5 === 0 ? null : at * 1_000,
  "Release Date": `Day ${at}`,
  Distributor: `Studio "${at % 40}", Ltd.`,
}));

const earthquakes = {
  type: "FeatureCollection",
  metadata: { generated: 1_517_968_154_000, title: "All Earthquakes" },
  features: many(500, (at) => ({
    type: "Feature",
    properties: {
      mag: (at % 70) / 10,
      place: `${at} km of Rome, Italy`,
      code: `c${at}`,
      type: at % 20 ? "quake" : "blast",
    },
    geometry: { type: "Point", coordinates: [at, -at, 5.5] },
  })),
};

const lock = {
  name: "project",
  lockfileVersion: 3,
  packages: Object.fromEntries(
    many(300, (at) => [
      at === 0 ? "" : `node_modules/package-${at}`,
      {
        version: `${at % 9}.1.${at}`,
        license: at % 4 === 0 ? "ISC" : "MIT",
        dependencies: Object.fromEntries(many(at % 8, (other) => [`package-${other}`, "^1.0.0"])),
        engines: { node: ">=18" },
      },
    ]),
  ),
};

const folder = (name: string, children: readonly TreeEntry[]): TreeEntry => ({ name, type: "directory", children });
const tree = many(12, (at) =>
  at === 11
    ? { name: "README.md", type: "file" }
    : folder(`part-${at}`, [
        folder(
          "src",
          many(30, (file) => ({ name: `file-${file}${file % 3 ? "" : ".test"}.ts`, type: "file" })),
        ),
        { name: "package.json", type: "file" },
      ]),
);

const graph = {
  entities: many(200, (at) => ({
    type: "entity",
    name: `file-${at}.ts`,
    entityType: at % 6 === 0 ? "test" : "source",
    observations: many(1 + (at % 9), (line) => `has a function number ${line}`),
  })),
  relations: many(150, (at) => ({
    type: "relation",
    from: `file-${at}.ts`,
    to: `file-${at + 1}.ts`,
    relationType: at % 10 === 0 ? "tests" : "imports",
  })),
};

const levels = ["notice", "notice", "error", "warn"];

const logLines = many(
  600,
  (at) => `[Sun Dec 04 04:${10 + (at % 50)}:00 2005] [${levels[at % 4]}] child ${at} in state ${at % 9}`,
);

const jsonLines = many(500, (at) =>
  JSON.stringify({
    LineId: at + 1,
    Time: `04:51:08.${at}`,
    Level: levels[at % 4],
    Content: `child ${at} found`,
    EventId: "E1",
  }),
);

const csvLines = many(
  800,
  (at) => `A${at},"Field ${at}, North",Town ${at},${at % 3 ? "TX" : "CA"},USA,${30 + at / 100},${-90 - at / 100}`,
);

const code = many(
  300,
  (at) =>
    `/** Adds ${at}. */\nexport function add${at}(value: number): number {\n  const sum = value + ${at};\n  return sum;\n}\n`,
);

const guide = many(
  40,
  (at) =>
    `## Section ${at}\n\nA paragraph about section ${at}, which is long enough.\n\n| name | value |\n| --- | --- |\n${many(20, (row) => `| row ${row} | ${at * row} |`).join("\n")}\n`,
);

export const fixtures: Readonly<Record<string, string>> = {
  "movies.json": JSON.stringify(movies, null, 2),
  "earthquakes.json": JSON.stringify(earthquakes),
  "package-lock.json": JSON.stringify(lock, null, 2),
  "tree.json": JSON.stringify(tree, null, 2),
  "graph.json": JSON.stringify(graph, null, 2),
  "log.jsonl": `${jsonLines.join("\n")}\n`,
  "airports.csv": `iata,name,city,state,country,latitude,longitude\n${csvLines.join("\n")}\n`,
  "server.log": `${logLines.join("\n")}\n`,
  "code.ts": `import { first } from "./first.ts";\nimport type { Second } from "./second.ts";\n\n${code.join("\n")}`,
  "guide.md": `# Guide\n\n${guide.join("\n")}\nThe last line.\n`,
};
