import type { Delivery, Step } from "./plan.ts";
import { type Failure, runPlan } from "./run.ts";

/** A plan of a thousand steps is not small after hours. What a minute makes of it can be read. */
const MOST_MS = 60_000;

/**
 * The smallest plan that still goes wrong in the same way: without the steps that do not matter, and with the
 * others as simple as they can be.
 */
export function shrink(failure: Failure): Failure {
  const untilMs = performance.now() + MOST_MS;
  let smallest = failure;
  for (;;) {
    const smaller = shrinkOnce(smallest, untilMs);
    if (!smaller) return smallest;
    smallest = smaller;
  }
}

/** The first simpler plan that goes wrong too. */
function shrinkOnce({ plan, message }: Failure, untilMs: number): Failure | null {
  for (const steps of candidates(plan.steps)) {
    if (performance.now() > untilMs) return null;
    const tried = { ...plan, steps };
    const found = runPlan(tried);
    if (found.message === null || sort(found.message) !== sort(message)) continue;
    return { plan: { ...tried, steps: steps.slice(0, found.steps) }, message: found.message };
  }
  return null;
}

/** What kind of fault it is, whatever names are in it. */
function sort(message: string): string {
  const [first = ""] = message.split("\n");
  return first.replaceAll(/\b[sk]\d+(\/\d+)?|[0-9a-f-]{36}/g, "…").replaceAll(/\d+/g, "0");
}

function* candidates(steps: Step[]): Generator<Step[]> {
  for (let size = steps.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at + size <= steps.length; at += size) {
      yield [...steps.slice(0, at), ...steps.slice(at + size)];
    }
  }
  for (const [at, step] of steps.entries()) {
    for (const simpler of simplify(step)) yield steps.with(at, simpler);
  }
}

function* simplify(step: Step): Generator<Step> {
  switch (step.does) {
    case "ask":
      if (step.aheadMs !== 0) yield { ...step, aheadMs: 0 };
      if (step.delivery) yield { ...step, delivery: null };
      for (const delivery of simplerDeliveries(step.delivery)) yield { ...step, delivery };
      break;
    case "send":
      for (const delivery of simplerDeliveries(step.delivery)) yield { ...step, delivery };
      break;
    case "wait":
      for (const ms of [1000, 60_000, 3_600_000]) if (ms < step.ms) yield { ...step, ms };
      break;
    case "confirm":
    case "restart":
  }
}

function* simplerDeliveries(delivery: Delivery | null): Generator<Delivery> {
  if (!delivery) return;
  if (delivery.more.length > 0) yield { ...delivery, more: [] };
  for (const each of delivery.instead) {
    yield { ...delivery, instead: delivery.instead.filter((other) => other !== each) };
    if (each.brought === null) continue;
    yield {
      ...delivery,
      instead: delivery.instead.map((other) =>
        other === each ? { ...each, brought: null } : other,
      ),
    };
  }
  if (!delivery.commits) yield { ...delivery, commits: true };
}
