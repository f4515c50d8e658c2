import type { Eval, Skill } from "./skills.ts";

// Evals of skills: a model reads a skill and does a task, and its answer is compared with what a right one has.

/** A model behind an endpoint in the form of chat completions. */
export type Model = { readonly url: string; readonly model: string; readonly key?: string };

/** Which evals passed, as a run of a model recorded them. */
export type Baseline = {
  readonly recorded: null | {
    readonly model: string;
    readonly on: string;
    readonly passed: readonly string[];
    readonly failed: readonly string[];
  };
};

export type Outcome = { readonly name: string; readonly problems: readonly string[] };

type Env = Readonly<Record<string, string | undefined>>;

/** The model to ask, of variables of its own or of the assistant's. Undefined if there is none. */
export function modelOf(env: Env): Model | undefined {
  for (const prefix of ["KEYHEARTH_EVAL", "KEYHEARTH_ASSISTANT"]) {
    const [url, model, key] = ["URL", "MODEL", "KEY"].map((name) => env[`${prefix}_${name}`]);
    if (url && model) return { url: url.replace(/\/+$/, ""), model, ...(key && { key }) };
  }
  return undefined;
}

/** Has a model do every task, one after the other. */
export async function runEvals(skills: readonly Skill[], model: Model): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const skill of skills) {
    for (const each of skill.evals) {
      const problems = problemsOf(await ask(model, skill, each), each);
      outcomes.push({ name: each.name, problems });
    }
  }
  return outcomes;
}

/** What is wrong with an answer. Empty if it passes. */
export function problemsOf(answer: string, { contains, lacks }: Eval): string[] {
  return [
    ...contains
      .filter((texts) => !texts.some((text) => answer.includes(text)))
      .map((texts) => `lacks ${texts.join(" or ")}`),
    ...lacks.filter((text) => answer.includes(text)).map((text) => `contains ${text}`),
  ];
}

/** What got worse than the baseline, or must be said because nothing can be compared. */
export function compare(
  outcomes: readonly Outcome[],
  { recorded }: Baseline,
  { model }: Model,
): { readonly worse: readonly string[]; readonly note?: string } {
  if (recorded === null) {
    return {
      worse: [],
      note: "no baseline has been recorded yet: KEYHEARTH_EVAL_RECORD=1 does it",
    };
  }
  if (recorded.model !== model) {
    const note = `the baseline is of ${recorded.model}, and says nothing about ${model}`;
    return { worse: [], note };
  }
  const worse = outcomes
    .filter(({ name, problems }) => problems.length > 0 && recorded.passed.includes(name))
    .map(({ name, problems }) => `${name}: ${problems.join(", ")}`);
  const gone = recorded.passed
    .filter((name) => !outcomes.some((each) => each.name === name))
    .map((name) => `${name}: was not run`);
  return { worse: [...worse, ...gone] };
}

export function baselineOf(outcomes: readonly Outcome[], model: Model, on: string): Baseline {
  const [passed, failed] = [true, false].map((isPassed) =>
    outcomes
      .filter(({ problems }) => (problems.length === 0) === isPassed)
      .map(({ name }) => name)
      .sort(),
  );
  return { recorded: { model: model.model, on, passed: passed ?? [], failed: failed ?? [] } };
}

const LONGEST_MS = 120_000;

async function ask({ url, model, key }: Model, { text }: Skill, { task }: Eval): Promise<string> {
  const messages = [
    { role: "system", content: `Answer by this skill, with code where it helps.\n\n${text}` },
    { role: "user", content: task },
  ];
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, messages, temperature: 0 }),
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  if (!response.ok) throw new Error(`the model answered ${response.status}`);
  const body: { choices?: { message?: { content?: unknown } }[] } = Object(await response.json());
  const content = body.choices?.[0]?.message?.content;
  if (typeof content === "string") return content;
  throw new Error("the model's answer is not in the form of chat completions");
}
