import {
  type Answer,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/door/protocol";

/** Answers are sent in small frames, so that the first of a large batch does not wait for the last. */
const ANSWERS_PER_FRAME = 16;

/** Handles one frame of requests and sends the answers in frames. */
export function serveFrame(
  frame: Uint8Array,
  handle: (request: Request) => Answer,
  send: (frame: Uint8Array<ArrayBuffer>) => void,
) {
  let answers: Envelope<Answer>[] = [];
  for (const { id, message } of decodeFrame<Request>(frame)) {
    answers.push({ id, message: handle(message) });
    if (answers.length < ANSWERS_PER_FRAME) continue;
    send(encodeFrame(answers));
    answers = [];
  }
  if (answers.length > 0) send(encodeFrame(answers));
}
