import type { Answer } from "./protocol.ts";

/** Thrown in place of an answer: the rest of the work comes later, so that others are served in between. */
export class Unfinished extends Error {
  readonly goOn: () => Answer;
  /** What another thread does, and the rest needs. If it fails, so does the call. */
  readonly after: Promise<void> | undefined;
  constructor(goOn: () => Answer, after?: Promise<void>) {
    super("there is more to do before the answer");
    this.goOn = goOn;
    this.after = after;
    this.name = "Unfinished";
  }
}

/** How many bytes a step took, or what another thread does before the next one. */
export type Step = number | Promise<void>;

/** Bytes that one slice renders or signs at most, or a single step that is larger: about ten milliseconds. */
const SLICE_BYTES = 512 * 1024;

/** Does work in steps. Throws `Unfinished` after each slice but the last. */
export function inSlices(work: Iterator<Step, Answer>): Answer {
  let bytes = 0;
  while (bytes < SLICE_BYTES) {
    const step = work.next();
    if (step.done) return step.value;
    if (step.value instanceof Promise) throw new Unfinished(() => inSlices(work), step.value);
    bytes += step.value;
  }
  throw new Unfinished(() => inSlices(work));
}
