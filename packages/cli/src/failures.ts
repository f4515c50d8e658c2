import {
  ConsensusNeeded,
  InvalidCredential,
  InvalidField,
  type KeyhearthClient,
  KeyhearthError,
  PolicyDenied,
  Unauthenticated,
  Unavailable,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import type { Asked } from "./command.ts";
import type { Reason } from "./denials.ts";
import { MISTAKE, REFUSED, UNREACHABLE, WAITS } from "./exit-codes.ts";
import { plain } from "./output.ts";

// What to say of errors of the SDK, and how the command ends. Loaded when there is one.

export type Failure = {
  readonly exitCode: number;
  /** One sentence with the remedy. */
  readonly message: string;
  /** What follows it, each on its line. */
  readonly lines: readonly string[];
  readonly json: Record<string, unknown>;
};

/** An error of the SDK as the command shows it. Undefined for a bug. */
export async function failureOf(
  thrown: unknown,
  { url, client, isAnswered }: Asked,
): Promise<Failure | undefined> {
  const error = isAnswered && isOfForm(thrown) ? new WrongForm(thrown) : thrown;
  if (!(error instanceof KeyhearthError)) return undefined;
  const message = sentenceOf(error, url);
  const reasons = client === undefined ? [] : await reasonsOf(error, client);
  const { code, activity, docsUrl } = error;
  const fields = error instanceof InvalidField ? error.fields : [];
  return {
    exitCode: exitCodeOf(error),
    message,
    lines: [
      ...linesOf(error),
      ...reasons.map(({ line }) => line),
      ...(docsUrl ? [`see ${docsUrl}`] : []),
    ],
    json: {
      message,
      code,
      ...(fields.length > 0 && { fields }),
      ...(activity && {
        activity: {
          id: activity.id,
          organizationId: activity.organizationId,
          fingerprint: activity.fingerprint,
          status: activity.status,
        },
      }),
      ...(error instanceof PolicyDenied && {
        policies: reasons.length > 0 ? reasons.map(({ json }) => json) : error.evaluations,
        ...(error.traceId !== undefined && { traceId: error.traceId }),
      }),
      ...(error instanceof ConsensusNeeded && { neededApprovals: reasons.map(({ json }) => json) }),
      ...(docsUrl && { docsUrl }),
    },
  };
}

/** An answer that is JSON, and not what the API answers. Where a part is missing or another one, the language throws. */
class WrongForm extends UnexpectedAnswer {
  constructor(cause: unknown) {
    super("the answer has a wrong form", { code: "INVALID_RESPONSE", cause });
  }
}

function isOfForm(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

/** The service answered, at a path that is not the API's. Pages, such as those of the dashboard, take no POST. */
function isElsewhere({ code }: KeyhearthError): boolean {
  return code === "ROUTE_NOT_FOUND" || code === "METHOD_NOT_ALLOWED";
}

function exitCodeOf(error: KeyhearthError): number {
  if (error instanceof ConsensusNeeded || error.code === "POLL_TIMEOUT") return WAITS;
  if (error instanceof Unavailable || error instanceof UnexpectedAnswer) return UNREACHABLE;
  if (isElsewhere(error)) return UNREACHABLE;
  if (error instanceof InvalidCredential) return MISTAKE;
  // About the state of something, and not about what was given.
  if (error.code === "ACTIVITY_NOT_PENDING") return REFUSED;
  if (error instanceof InvalidField) return MISTAKE;
  // As a check that found something.
  if (error instanceof Unverified) return 1;
  return REFUSED;
}

function sentenceOf(error: KeyhearthError, url = "the service"): string {
  const { activity } = error;
  switch (error.code) {
    case "CONSENSUS_NEEDED":
      return `the request waits for approvals: activity ${activity?.id}`;
    case "NETWORK":
      return `${url} cannot be reached${reasonOf(url, error.cause)}`;
    case "TIMEOUT":
      return `${url} did not answer in time: try again; a submission with the same timestampMs is executed once`;
    case "INVALID_RESPONSE":
      if (error instanceof WrongForm) {
        return `${url} answered in another form than the API: check its address and its version, and report what --debug shows if both are right`;
      }
      return error instanceof Unavailable
        ? `a server in front of ${url} answered ${error.httpStatus}, so the service is not reachable: look at that server`
        : `${url} answered${error.httpStatus ? ` ${error.httpStatus}` : ""}, but not with the JSON of the API: correct the address of the service, in KEYHEARTH_URL or by \`keyhearth profile add\``;
    case "REDIRECTED":
      return `${url} redirects requests, and a stamped request follows no redirect: give the service's own address, in KEYHEARTH_URL or by \`keyhearth profile add\``;
    case "ROUTE_NOT_FOUND":
    case "METHOD_NOT_ALLOWED":
      return `${url} is not the address of the API: ${withoutPage(error)}. Correct the address, in KEYHEARTH_URL or by \`keyhearth profile add\``;
    case "CREDENTIAL_NOT_FOUND":
      return "the organization does not know this key: check the organization's id with the key's owner, or register the public half";
    default:
      return withoutPage(error);
  }
}

/** Why policies denied a request, or whose approvals it waits for. The user of the key may not be allowed to ask. */
async function reasonsOf(error: KeyhearthError, client: KeyhearthClient): Promise<Reason[]> {
  try {
    if (error instanceof PolicyDenied) {
      const { denialReasons } = await import("./denials.ts");
      return await denialReasons(error, client);
    }
    if (error instanceof ConsensusNeeded) {
      const { missingApprovals } = await import("./denials.ts");
      return await missingApprovals(error.activity, client);
    }
    return [];
  } catch {
    return [];
  }
}

/** The page follows on a line of its own. */
function withoutPage({ message, docsUrl }: KeyhearthError): string {
  const text = docsUrl === undefined ? message : message.replace(` See ${docsUrl}`, "");
  return plain(text.replace(/\.$/, ""));
}

function linesOf(error: KeyhearthError): string[] {
  if (error instanceof ConsensusNeeded) {
    return [
      `fingerprint  ${error.fingerprint}`,
      `approve with \`keyhearth activities approve ${error.activity.id} --fingerprint ${error.fingerprint}\`, as a user whose approval counts`,
    ];
  }
  if (error instanceof InvalidField && error.fields.length > 1) {
    return error.fields.map(({ field, message }) => `${plain(field)}: ${plain(message)}`);
  }
  if (error instanceof Unauthenticated) return ["`keyhearth doctor` looks for the reason"];
  return [];
}

function reasonOf(url: string, cause: unknown): string {
  const codes = codesOf(cause);
  const is = (form: RegExp) => codes.find((code) => form.test(code));
  const isTls = url.startsWith("https:");
  const other = url.replace(/^https?/, isTls ? "http" : "https");
  if (is(/^ECONNREFUSED$/)) {
    return ": nothing listens there. Start the service, or correct its address in KEYHEARTH_URL or in the profile";
  }
  if (is(/^(ENOTFOUND|EAI_AGAIN)$/)) {
    return ": its name has no address. Check the name, and the network of this machine";
  }
  if (isTls && is(/^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)|^EPROTO$/)) {
    return `: the port speaks http, and not https. Write ${other}`;
  }
  const certificate = is(/CERT|UNABLE_TO_(GET|VERIFY)|^ERR_TLS_/);
  if (certificate) {
    return `: its certificate is not accepted (${certificate}). Use the name in the certificate, or have this machine trust its issuer`;
  }
  if (!isTls && is(/^(HPE_|UND_ERR_SOCKET$|ECONNRESET$)/)) {
    return `: the connection was closed without an answer. If the port speaks https, write ${other}`;
  }
  return ": check that the service runs there, and the network between";
}

/** The codes of an error and of what caused it. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const { code, cause, errors }: { code?: unknown; cause?: unknown; errors?: unknown } = error;
  const more: unknown[] = Array.isArray(errors) ? errors.slice(0, 8) : [];
  const inner = [cause, ...more].flatMap((each) => codesOf(each, depth + 1));
  return typeof code === "string" ? [code, ...inner] : inner;
}
