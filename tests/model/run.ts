import { createRandom } from "../fuzz/random.ts";
import { chooseStep } from "./choose.ts";
import { chooseHabits, chooseRules } from "./habits.ts";
import { perform } from "./perform.ts";
import type { Plan, Step } from "./plan.ts";
import { createWorld, Fault } from "./world.ts";

/** A plan that went wrong at its last step. */
export type Failure = { plan: Plan; message: string };

/** Makes up a plan while it runs. Returns what went wrong, if anything did. */
export function runSeed(seed: number, steps: number): Failure | null {
  const random = createRandom(seed);
  const isHonest = random.oneIn(6);
  const habits = chooseHabits(random, isHonest);
  const rules = chooseRules(random, habits);
  const world = createWorld({ seed, isHonest, rules });
  const done: Step[] = [];
  for (let i = 0; i < steps; i++) {
    const step = chooseStep(random, world, habits, `s${i}`);
    done.push(step);
    const message = faultOf(() => perform(world, step));
    if (message !== null) return { plan: { seed, isHonest, rules, steps: done }, message };
  }
  return null;
}

/** Runs a plan again. Returns the fault, and what came of each step. */
export function runPlan(plan: Plan): { message: string | null; answers: string[]; steps: number } {
  const world = createWorld(plan);
  const answers: string[] = [];
  for (const step of plan.steps) {
    const message = faultOf(() => void answers.push(perform(world, step)));
    if (message !== null) return { message, answers, steps: answers.length + 1 };
  }
  return { message: null, answers, steps: plan.steps.length };
}

function faultOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}
