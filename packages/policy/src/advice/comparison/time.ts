import { makeEnvironment } from "../../environment.ts";
import { evaluate, prepare } from "../../evaluate.ts";
import { indexesOf } from "../../logic/bits.ts";
import type { Domains } from "../../logic/solve.ts";
import { holds, type Term } from "../../logic/terms.ts";
import { show, type Value } from "../../values.ts";

// The time of an example.

/** A time at which the clauses about it have the values the solution gives them, if one is found. */
export function timeOf(solution: Domains, terms: readonly Term[]): string | undefined {
  const now = terms.find(({ source }) => source.kind === "path" && source.steps[0] === "time");
  const opaque = terms.filter(({ source }) => {
    return source.kind === "opaque" && source.part.clause === "time";
  });
  return candidates(now, solution).find((text) => {
    const environment = makeEnvironment({ time: { now: text } });
    const time = environment.entries.time;
    const value = typeof time === "object" && "entries" in time ? time.entries.now : undefined;
    if (now && !fits(now, value, solution)) return false;
    return opaque.every((term) => {
      if (term.source.kind !== "opaque") return true;
      const part = evaluate(prepare(term.source.part), environment);
      return fits(term, typeof part === "boolean" ? part : undefined, solution);
    });
  });
}

/** Whether the term's statements hold for a value as they do for those of the solution. */
function fits(term: Term, value: Value | undefined, solution: Domains): boolean {
  const domain = solution[term.variable] ?? 0n;
  return term.atoms.every((atom) => {
    const truth = holds(atom, value);
    const agrees = (is: boolean, values: bigint) => {
      const inside = domain & values;
      return is ? inside !== 0n : inside !== domain;
    };
    return (
      agrees(truth === true, atom.trueValues) && agrees(truth !== undefined, atom.definedValues)
    );
  });
}

/**
 * The times the solution leaves, then each hour of a week and the start of each month of a year.
 */
function candidates(now: Term | undefined, solution: Domains): string[] {
  const left = now ? indexesOf(solution[now.variable] ?? 0n) : [];
  const texts = [...left].flatMap((i) => {
    const value = now?.values[i];
    return value === undefined ? [] : show(value);
  });
  for (let hour = 0; hour < 7 * 24; hour++) texts.push(textOf(Date.UTC(2026, 0, 5, 9 + hour)));
  for (let month = 0; month < 12; month++) texts.push(textOf(Date.UTC(2026, month, 1, 12)));
  for (let day = 0; day < 31; day++) texts.push(textOf(Date.UTC(2026, 2, day, 12)));
  return texts;
}

function textOf(ms: number) {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
