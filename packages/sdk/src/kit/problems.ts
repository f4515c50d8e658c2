import { type KeyhearthError, NotFound, RateLimited, Unauthenticated } from "../errors/errors.ts";
import { FrameRefused } from "../stampers/frame-channel.ts";
import { fill, type KitTexts } from "./texts.ts";

/** What people read of an error, and what they can do. */
export type Problem = { text: string; isClosed: boolean };

const byCode: Record<string, keyof KitTexts> = {
  ABORTED: "cancelled",
  ACTIVITY_REJECTED: "rejected",
  ALREADY_EXISTS: "hasAccount",
  CANCELLED: "cancelled",
  MAX_OTP_INITIATED: "tooMany",
  NETWORK: "offline",
  PASSKEY_EXISTS: "hasAccount",
  POLICY_DENIED: "deniedByPolicy",
  POPUP_BLOCKED: "popupBlocked",
  PROVIDER_REFUSED: "providerRefused",
  PROXY_SERVICE_TIMEOUT: "offline",
  PROXY_SERVICE_UNREACHABLE: "offline",
  REQUEST_NOT_AUTHORIZED: "notAllowed",
  SESSION_ENDED: "sessionEnded",
  TIMEOUT: "offline",
  UNSUPPORTED: "unsupported",
  UNVERIFIED: "unverified",
};

/** In which the service or the app answers that it takes no logins at all. */
const closing = ["FEATURE_DISABLED", "ROUTE_NOT_FOUND"];

/** An error in the words of the kit. `isLogIn` says that nobody is known yet. */
export function problemOf(
  error: KeyhearthError,
  texts: KitTexts,
  { isLogIn = false }: { isLogIn?: boolean } = {},
): Problem {
  const isClosed = closing.includes(error.code);
  return { text: textOf(error, texts, isLogIn, isClosed), isClosed };
}

function textOf(error: KeyhearthError, texts: KitTexts, isLogIn: boolean, isClosed: boolean) {
  const { code, message, serviceMessage = message, field } = error;
  if (code === "OTP_INVALID") return codeProblem(serviceMessage, texts);
  if (error instanceof FrameRefused) {
    return fill(texts.importRefused, { reason: message.replace(/^The frame refused: /, "") });
  }
  if (isClosed) return isLogIn ? texts.authClosed : texts.notAllowed;
  const known = byCode[code];
  if (known) return texts[known];
  if (error instanceof RateLimited) return texts.tooMany;
  if (isLogIn && (error instanceof NotFound || error instanceof Unauthenticated)) {
    return texts.noAccount;
  }
  if (field === "contact" || field === "parameters.contact") {
    return /phone/i.test(serviceMessage) ? texts.badPhone : texts.badContact;
  }
  return fill(texts.failed, { code });
}

/** The service says in its sentence what is wrong with a code. */
function codeProblem(sentence: string, texts: KitTexts): string {
  const [, left] = /attempts left at this code: (\d+)/.exec(sentence) ?? [];
  if (left !== undefined) return fill(texts.wrongCode, { left });
  if (/locked/.test(sentence)) return texts.codeLocked;
  return /was used/.test(sentence) ? texts.codeUsed : texts.codeExpired;
}
