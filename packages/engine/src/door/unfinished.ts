import type { Answer } from "./protocol.ts";

/** Thrown in place of an answer: the rest of the work comes later, so that others are served in between. */
export class Unfinished extends Error {
  readonly goOn: () => Answer;
  constructor(goOn: () => Answer) {
    super("there is more to do before the answer");
    this.goOn = goOn;
    this.name = "Unfinished";
  }
}

/** Bytes that one slice renders or signs at most, or a single step that is larger: about ten milliseconds. */
const SLICE_BYTES = 512 * 1024;

/** Does work whose steps say how many bytes they took. Throws `Unfinished` after each slice but the last. */
export function inSlices(work: Iterator<number, Answer>): Answer {
  let bytes = 0;
  while (bytes < SLICE_BYTES) {
    const step = work.next();
    if (step.done) return step.value;
    bytes += step.value;
  }
  throw new Unfinished(() => inSlices(work));
}
