import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import { type Baseline, baselineOf, compare, modelOf, problemsOf, runEvals } from "./evals.ts";
import { folder, readSkills } from "./skills.ts";

const skills = readSkills();
const names = skills.flatMap(({ evals }) => evals.map(({ name }) => name));
const file = join(folder, "baseline.json");
const baseline: Baseline = JSON.parse(readFileSync(file, "utf8"));

/** A server in the form of a model, which answers what it is told to. */
async function startModel(answerTo: (task: string, skill: string) => unknown) {
  const seen: { authorization: string | undefined; model: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { model, messages } = JSON.parse(text);
      seen.push({ authorization: request.headers.authorization, model });
      const content = answerTo(messages[1].content, messages[0].content);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { model: { url, model: "small", key: "sk-test" }, seen };
}

test("a model that answers from the skills passes, and another one does not", async () => {
  const answers = new Map(
    skills.flatMap(({ evals }) =>
      evals.map(({ task, contains }) => [task, contains.map(([first]) => first).join("\n")]),
    ),
  );
  const { model, seen } = await startModel((task, skill) => {
    expect(skills.some(({ text }) => skill.includes(text))).toBe(true);
    return answers.get(task);
  });
  const good = await runEvals(skills, model);
  expect(good).toEqual(names.map((name) => ({ name, problems: [] })));
  expect(new Set(seen.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify({ authorization: "Bearer sk-test", model: "small" })]),
  );
  const silent = await startModel(() => "I don't know");
  for (const { problems } of await runEvals(skills, silent.model)) {
    expect(problems).not.toEqual([]);
  }
  const broken = await startModel(() => null);
  await expect(runEvals(skills, broken.model)).rejects.toThrow("form of chat completions");
});

test("an answer with what it must not contain does not pass", () => {
  const rule = { name: "x", task: "x", contains: [["a", "b"], ["c"]], lacks: ["d"] };
  expect(problemsOf("b c", rule)).toEqual([]);
  expect(problemsOf("b d", rule)).toEqual(["lacks c", "contains d"]);
});

test("a run is compared with what the same model did before", () => {
  const model = { url: "http://x", model: "small" };
  const good = names.map((name) => ({ name, problems: [] as string[] }));
  const [first = ""] = names;
  const bad = good.map((each) => (each.name === first ? { ...each, problems: ["lacks y"] } : each));
  const recorded = baselineOf(good, model, "2026-11-30");
  expect(recorded.recorded?.passed).toEqual([...names].sort());
  expect(compare(good, recorded, model)).toEqual({ worse: [] });
  expect(compare(bad, recorded, model)).toEqual({ worse: [`${first}: lacks y`] });
  expect(compare(good.slice(1), recorded, model)).toEqual({ worse: [`${first}: was not run`] });
  expect(compare(bad, baselineOf(bad, model, "2026-11-30"), model)).toEqual({ worse: [] });
  expect(compare(bad, recorded, { ...model, model: "large" }).note).toContain("the baseline is of");
  expect(compare(bad, { recorded: null }, model).note).toContain("no baseline has been recorded");
});

test("the model is that of the evals, or of the assistant", () => {
  const assistant = { KEYHEARTH_ASSISTANT_URL: "http://a/v1/", KEYHEARTH_ASSISTANT_MODEL: "m" };
  expect(modelOf({})).toBeUndefined();
  expect(modelOf(assistant)).toEqual({ url: "http://a/v1", model: "m" });
  const own = {
    KEYHEARTH_EVAL_URL: "http://e",
    KEYHEARTH_EVAL_MODEL: "n",
    KEYHEARTH_EVAL_KEY: "k",
  };
  expect(modelOf({ ...assistant, ...own })).toEqual({ url: "http://e", model: "n", key: "k" });
});

test("the baseline names evals that exist, or says that there is none yet", () => {
  const { recorded } = baseline;
  const listed = recorded === null ? names : [...recorded.passed, ...recorded.failed];
  expect([...listed].sort()).toEqual([...names].sort());
});

// `npm run e2e` has this one, where a model is configured.
const model = isLong ? modelOf(process.env) : undefined;
test.runIf(model)("a model answers no worse than before", { timeout: 3_600_000 }, async () => {
  if (model === undefined) return;
  const outcomes = await runEvals(skills, model);
  const passed = outcomes.filter(({ problems }) => problems.length === 0).length;
  const { worse, note } = compare(outcomes, baseline, model);
  console.info(`${passed} of ${outcomes.length} evals passed with ${model.model}`, note ?? "");
  if (process.env.KEYHEARTH_EVAL_RECORD === "1") {
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(file, `${JSON.stringify(baselineOf(outcomes, model, today), null, 2)}\n`);
    return;
  }
  expect(worse).toEqual([]);
});
