import { randomNumbers } from "./random-numbers.ts";

/** A fact, the fact that it replaced, and a question about it. */
export interface Fact {
  readonly about: string;
  readonly text: string;
  /** The same with another value, which held before. */
  readonly before?: string;
  readonly questions: readonly string[];
}

interface Template {
  readonly fact: string;
  readonly questions: readonly string[];
  readonly values: readonly string[];
}

/** `{n}` is the subject, `{v}` the value. Questions use other words than facts, as people do. */
const ofPeople: readonly Template[] = [
  {
    fact: "{n} works from the {v} office.",
    questions: ["Which office is {n} based in?", "In which city would I find {n}?"],
    values: ["Lisbon", "Oslo", "Toronto", "Nairobi", "Kyoto", "Lyon"],
  },
  {
    fact: "{n}'s job title is {v}.",
    questions: ["What is {n}'s role?", "What title does {n} have?"],
    values: ["staff engineer", "product manager", "data analyst", "designer", "site reliability engineer"],
  },
  {
    fact: "{n} writes code in {v}, and will not try another editor.",
    questions: ["Which editor does {n} use?", "What editor did {n} pick?"],
    values: ["Emacs", "Vim", "Helix", "Zed", "Kakoune"],
  },
  {
    fact: "{n} is at home in the {v} time zone.",
    questions: ["What time zone is {n} in?", "Which timezone should I use to schedule with {n}?"],
    values: ["Pacific", "Central European", "Indian", "Japanese", "Brazilian"],
  },
  {
    fact: "For lunch {n} takes {v} dishes only.",
    questions: ["What should we order for {n}'s lunch?", "Does {n} follow a diet?"],
    values: ["vegan", "halal", "gluten-free", "vegetarian", "kosher"],
  },
  {
    fact: "{n} has a pet, a {v}.",
    questions: ["What pet does {n} have?", "Which animal lives with {n}?"],
    values: ["parrot", "greyhound", "tortoise", "ferret", "tabby cat"],
  },
  {
    fact: "{n}'s birthday is on the {v}.",
    questions: ["When is {n}'s birthday?", "When was {n} born?"],
    values: ["3rd of May", "12th of August", "30th of January", "9th of October", "21st of March"],
  },
  {
    fact: "{n} was mentored by {v} in the first year.",
    questions: ["Who was {n}'s mentor?", "Who mentored {n}?"],
    values: ["Professor Adeyemi", "old Mr Brandt", "Ines from support", "the founder", "Tomas of platform"],
  },
  {
    fact: "On weekends {n} goes {v}.",
    questions: ["What does {n} do at the weekend?", "What are {n}'s hobbies?"],
    values: ["climbing", "sailing", "birdwatching", "dancing", "orienteering"],
  },
  {
    fact: "{n} wants code reviews to be {v}.",
    questions: ["How does {n} like code to be reviewed?", "What does {n} expect of a review?"],
    values: ["short and blunt", "done in pairs", "written as questions", "finished the same day"],
  },
];

const ofServices: readonly Template[] = [
  {
    fact: "{n} stores its data in {v}.",
    questions: ["Which database does {n} use?", "Where does {n} keep its data?"],
    values: ["PostgreSQL", "Cassandra", "DynamoDB", "SQLite", "Redis"],
  },
  {
    fact: "{n} is owned by the {v} team.",
    questions: ["Which team owns {n}?", "Who is responsible for {n}?"],
    values: ["payments", "identity", "growth", "logistics", "search"],
  },
  {
    fact: "{n} is deployed with {v}.",
    questions: ["How is {n} deployed?", "What do we use to ship {n}?"],
    values: ["Argo", "Nomad", "plain ssh", "Spinnaker", "Kamal"],
  },
  {
    fact: "{n} listens on port {v}.",
    questions: ["What port does {n} listen on?", "Which port is {n} reachable at?"],
    values: ["8443", "9000", "5051", "7070", "3001"],
  },
  {
    fact: "{n} has to answer within {v} milliseconds.",
    questions: ["How fast must {n} answer?", "How many milliseconds may {n} take?"],
    values: ["50", "120", "300", "800", "2000"],
  },
  {
    fact: "Alerts of {n} page {v} at night.",
    questions: ["Who gets paged when {n} breaks at night?", "Whom do alerts of {n} wake?"],
    values: ["the Lyon crew", "whoever is duty manager", "the vendor", "nobody", "the platform rota"],
  },
  {
    fact: "{n} is written in {v}.",
    questions: ["What language is {n} written in?", "Which programming language is {n}?"],
    values: ["Go", "Kotlin", "Elixir", "Rust", "Python"],
  },
];

/** Distractors: texts about the same people and services that answer no question. */
const asides: readonly string[] = [
  "{n} asked in the retrospective whether the office needs plants.",
  "{n} gave a talk on how time zones and release weekends collide.",
  "{n} reviewed the lunch budget, and found it fine.",
  "{n} complained that the editor in the browser is slow.",
  "The newsletter has a picture of {n} next to the old database server.",
  "{n} came up when the team talked about which port to close.",
  "A customer praised {n} for an answer on a weekend.",
];

const firstNames = ["Anna", "Ben", "Chiara", "David", "Emeka", "Fatima", "Goran", "Hana", "Ivo", "Jun"];
const lastNames = ["Lindqvist", "Okafor", "Moreau", "Petrov", "Sato", "Novak", "Haddad", "Keller"];
const services = [
  "billing",
  "checkout",
  "ledger",
  "gateway",
  "mailer",
  "catalogue",
  "inventory",
  "search",
  "session",
  "audit",
];

/** At least 500 facts in order of time, a third of which replaced another, and distractors among them. */
export function makeFacts(seed = 7): {
  readonly facts: readonly Fact[];
  readonly asides: readonly Omit<Fact, "questions">[];
} {
  const random = randomNumbers(seed);
  const people = Array.from(
    { length: 40 },
    (_, at) => `${firstNames[at % 10]} ${lastNames[(at + Math.floor(at / 10)) % 8]}`,
  );
  const ofAll = [
    ...people.map((name) => [name, ofPeople] as const),
    ...services.flatMap((name) => ["api", "worker"].map((part) => [`${name}-${part}`, ofServices] as const)),
  ];
  const facts = ofAll.flatMap(([name, templates]) =>
    templates.map(({ fact, questions, values }) => {
      const at = random(values.length);
      const say = (value: number) => fill(fact, name, values[value % values.length]);
      const isReplaced = random(3) === 0;
      return {
        about: name,
        text: say(at),
        ...(isReplaced && { before: say(at + 1) }),
        questions: questions.map((question) => fill(question, name)),
      };
    }),
  );
  const shownAsides = ofAll.flatMap(([name]) =>
    Array.from({ length: 5 }, (_, at) => ({
      about: name,
      text: fill(asides[(at + random(2)) % asides.length] ?? "", name),
    })),
  );
  return { facts: shuffle(facts, random), asides: shuffle(shownAsides, random) };
}

function fill(template: string, name: string, value = ""): string {
  return template.replaceAll("{n}", name).replaceAll("{v}", value);
}

function shuffle<T>(items: readonly T[], random: (below: number) => number): readonly T[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    const [left, right] = [shuffled[at], shuffled[other]];
    if (left === undefined || right === undefined) continue;
    shuffled[at] = right;
    shuffled[other] = left;
  }
  return shuffled;
}
