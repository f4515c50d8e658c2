import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { Unfinished } from "@keyhearth/engine/core/unfinished";
import { toErrorMessage } from "@keyhearth/engine/errors";
import {
  exchangeName,
  UnverifiedStatements,
  type Verdicts,
} from "@keyhearth/engine/people/attestation-statements";
import { type ExchangeCode, UnexchangedCode } from "@keyhearth/engine/people/code-exchanges";
import type { Handled } from "./fair-queue.ts";
import { verifyOneByOne } from "./verify-one-by-one.ts";

type Verifying = {
  core: (request: Request, verdicts: Verdicts) => Answer;
  verifyTokens: (tokens: readonly string[]) => Promise<Verdicts>;
  exchangeCode: ExchangeCode;
};

/**
 * Asks the core. If it needs verdicts on statements or tokens, or a code exchanged, does that, and returns the rest of the
 * work: to ask it again. If it has more to do, others are served first.
 */
export function answerVerified(
  verifying: Verifying,
  request: Request,
  verdicts: Verdicts,
): Handled {
  try {
    return aSliceOf(() => verifying.core(request, verdicts));
  } catch (error) {
    const goOn = (more: Verdicts) => () =>
      answerAgain(verifying, request, new Map([...verdicts, ...more]));
    if (error instanceof UnexchangedCode) {
      const name = exchangeName(error.exchange.name);
      const asked = verifying.exchangeCode(error.exchange);
      return { kind: "waiting", work: asked.then((outcome) => goOn(new Map([[name, outcome]]))) };
    }
    if (!(error instanceof UnverifiedStatements)) throw error;
    const { statements, tokens } = error;
    if (tokens.length === 0) return verifyOneByOne(statements).then(goOn);
    return { kind: "waiting", work: verifying.verifyTokens(tokens).then(goOn) };
  }
}

function answerAgain(verifying: Verifying, request: Request, verdicts: Verdicts): Handled {
  try {
    return answerVerified(verifying, request, verdicts);
  } catch (bug) {
    return { kind: "error", error: toErrorMessage(bug) };
  }
}

function aSliceOf(work: () => Answer): Handled {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error;
    return Promise.resolve(error.after).then(() => () => aSliceOf(error.goOn));
  }
}

/** The answer, once everything that it waits for has come. */
export async function settle(handled: Handled): Promise<Answer> {
  if (handled instanceof Promise) return settle((await handled)());
  if (handled.kind === "elsewhere") return settle((await handled.work).handled);
  return handled.kind === "waiting" ? settle((await handled.work)()) : handled;
}
