import { Unavailable, UnexpectedAnswer } from "@keyhearth/sdk";
import { membersOf } from "./members.ts";

/** What a service says of itself to everyone, in `/.well-known/keyhearth.json`. */
export type ServiceFacts = {
  readonly version: string;
  readonly rootOrganizationId: string;
  readonly signerPublicKey: string;
  readonly quorumPublicKey: string;
  /** Checks the tokens of sessions. Empty if an earlier release does not say. */
  readonly sessionPublicKey: string;
  /** Checks the tokens of one-time codes. Empty if an earlier release does not say. */
  readonly verificationPublicKey: string;
  /** The service's clock when it answered, or undefined if a proxy removed it. */
  readonly clockMs: number | undefined;
  /** Whether anybody may create an organization: `open`, `closed`, or empty if an earlier release does not say. */
  readonly signup: string;
};

const POINT = /^04[0-9a-f]{128}$/;
const KEY = /^[0-9a-f]{2,130}$/;
const QUORUM = /^(04[0-9a-f]{128}){2}$/;

/** Reads what nobody has to stamp for. Throws as the SDK does if there is no service. */
export async function readServiceFacts(url: string): Promise<ServiceFacts> {
  const { response, text } = await get(url, "/.well-known/keyhearth.json", textOf);
  const facts = membersOf(text);
  const { version, rootOrganizationId, signerPublicKey, quorumPublicKey, sessionPublicKey } = {
    ...facts,
  };
  if (
    response.ok &&
    typeof version === "string" &&
    typeof rootOrganizationId === "string" &&
    isForm(signerPublicKey, POINT) &&
    isForm(quorumPublicKey, QUORUM)
  ) {
    const { signup, verificationPublicKey } = { ...facts };
    const clockMs = Date.parse(response.headers.get("date") ?? "");
    return {
      ...{ version, rootOrganizationId, signerPublicKey, quorumPublicKey },
      sessionPublicKey: isForm(sessionPublicKey, KEY) ? sessionPublicKey : "",
      verificationPublicKey: isForm(verificationPublicKey, KEY) ? verificationPublicKey : "",
      clockMs: Number.isNaN(clockMs) ? undefined : clockMs,
      signup: signup === "open" || signup === "closed" ? signup : "",
    };
  }
  throw new UnexpectedAnswer("not a service", {
    code: "INVALID_RESPONSE",
    httpStatus: response.status,
  });
}

/** The status of `/readyz`: 200 if database and signer work. */
export async function readReadiness(url: string): Promise<number> {
  const { response } = await get(url, "/readyz", async ({ body }) => {
    await body?.cancel();
    return "";
  });
  return response.status;
}

/** Far more than any service says of itself. */
const MAX_BYTES = 65_536;

/** The text of an answer, unless it has no end. */
async function textOf({ body, status }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw new UnexpectedAnswer("too long", { code: "INVALID_RESPONSE", httpStatus: status });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Whatever the connection does until the text is read counts as what it did. */
async function get(
  url: string,
  path: string,
  read: (response: Response) => Promise<string>,
): Promise<{ response: Response; text: string }> {
  const address = url.replace(/(\/public\/v1)?\/*$/, "") + path;
  try {
    const response = await fetch(address, {
      // A redirect would decide whose keys these are.
      redirect: "manual",
      signal: AbortSignal.timeout(10_000),
    });
    if (response.status < 300 || response.status >= 400) {
      return { response, text: await read(response) };
    }
    throw new UnexpectedAnswer("redirected", { code: "REDIRECTED" });
  } catch (cause) {
    if (cause instanceof UnexpectedAnswer) throw cause;
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    throw new Unavailable("unreachable", { code: isLate ? "TIMEOUT" : "NETWORK", cause });
  }
}

function isForm(value: unknown, form: RegExp): value is string {
  return typeof value === "string" && form.test(value);
}
