import { recordQuestions, type Fields } from "./records.ts";
import type { LargeResult, Question } from "./result.ts";
import { codeQuestions, logQuestions, markdownQuestions } from "./text-questions.ts";
import { treeQuestions, type TreeEntry } from "./tree-questions.ts";

const json = (text: string) => JSON.parse(text) as unknown;
const inside = (field: string) => (name: string) => `${field}->>'${name}'`;

/** The questions of each file, computed from its text. */
const questionsOf: Readonly<Record<string, (text: string) => Question[]>> = {
  "movies.json": (text) =>
    recordQuestions(json(text) as Fields[], {
      group: "MPAA Rating",
      number: "Production Budget",
      key: "Release Date",
      other: "Distributor",
    }),
  "earthquakes.json": (text) =>
    recordQuestions(
      (json(text) as { features: { properties: Fields }[] }).features.map(({ properties }) => properties),
      { group: "type", number: "mag", key: "code", other: "place", column: inside("properties") },
    ),
  "package-lock.json": (text) =>
    recordQuestions(
      Object.entries((json(text) as { packages: Record<string, Fields> }).packages).map(([key, one]) => ({
        ...one,
        key,
        dependencyCount: Object.keys((one["dependencies"] ?? {}) as Fields).length,
      })),
      {
        group: "license",
        number: "dependencyCount",
        key: "key",
        other: "version",
        range: "#json=$.packages",
        column: (name) =>
          name === "dependencyCount" ? "(SELECT count(*) FROM json_each(t.dependencies))" : `"${name}"`,
      },
    ),
  "tree.json": (text) => treeQuestions(json(text) as TreeEntry[]),
  "graph.json": (text) => graphQuestions(json(text) as { entities: Fields[]; relations: Fields[] }),
  "log.jsonl": (text) =>
    recordQuestions(
      text
        .trim()
        .split("\n")
        .map((one) => json(one) as Fields),
      { group: "Level", number: "LineId", key: "Time", other: "Content" },
    ),
  "airports.csv": (text) =>
    recordQuestions(parseCsv(text, ["latitude", "longitude"]), {
      group: "state",
      number: "latitude",
      key: "iata",
      other: "name",
    }),
  "server.log": logQuestions,
  "code.ts": codeQuestions,
  "guide.md": markdownQuestions,
};

export const files = Object.keys(questionsOf);

export function largeResult(file: string, text: string): LargeResult {
  return { file, text, questions: questionsOf[file]?.(text) ?? [] };
}

/** The graph of the official server for memory: entities with observations, and relations. */
function graphQuestions({ entities, relations }: { entities: Fields[]; relations: Fields[] }): Question[] {
  const records = entities.map((one) => ({ ...one, count: (one["observations"] as unknown[]).length }));
  const [all, largest, most, , different] = recordQuestions(records, {
    group: "entityType",
    number: "count",
    key: "name",
    other: "entityType",
    range: "#json=$.entities",
    column: (name) => (name === "count" ? "json_array_length(observations)" : `"${name}"`),
  });
  const related = recordQuestions(
    relations.map((one) => ({ ...one, length: String(one["from"]).length })),
    {
      group: "relationType",
      number: "length",
      key: "from",
      other: "to",
      range: "#json=$.relations",
      column: (name) => (name === "length" ? 'length("from")' : `"${name}"`),
    },
  )[1];
  return [all, largest, most, related, different].filter((one) => one !== undefined);
}

/** CSV whose quoted cells have no line break. */
function parseCsv(text: string, numeric: readonly string[]): Fields[] {
  const [header = "", ...lines] = text.trim().split(/\r?\n/);
  const cells = (one: string) =>
    Array.from(one.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) =>
      quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'),
    );
  const names = cells(header);
  return lines.map((one) =>
    Object.fromEntries(
      cells(one).map((cell, at) => [names[at], numeric.includes(names[at] ?? "") ? Number(cell) : cell]),
    ),
  );
}
