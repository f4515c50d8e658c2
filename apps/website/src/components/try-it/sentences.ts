import { translate } from "@docusaurus/Translate";
import { KeyhearthError, RateLimited } from "@keyhearth/sdk";
import type { Fault, Limit } from "./body-problems.ts";
import { syntax } from "./json-syntax.ts";
import type { KeyFault } from "./pasted-key.ts";

/** What to tell a reader about a failure, and the code whose entry explains it. */
export type Told = { text: string; code: string | null };

type Place = { service: string; organizationId: string };

/** One sentence about what is wrong and what to do. */
export function tell(error: unknown, { service, organizationId }: Place): Told {
  // What the SDK has to say of a service that is down is loaded from there too, if it serves these pages.
  if (error instanceof Error && error.name === "ChunkLoadError") {
    return { text: unreachable(service), code: "NETWORK" };
  }
  if (!(error instanceof KeyhearthError)) {
    return { text: error instanceof Error ? error.message : String(error), code: null };
  }
  const { code } = error;
  return { text: sentenceOf(error, service, organizationId), code };
}

function sentenceOf(error: KeyhearthError, service: string, organizationId: string): string {
  switch (error.code) {
    case "NETWORK":
      return unreachable(service);
    case "TIMEOUT":
      return translate(
        {
          id: "tryIt.error.timeout",
          message:
            "{service} has not answered for 30 seconds. Send the same bytes again: the service executes them once.",
        },
        { service },
      );
    case "INVALID_RESPONSE":
    case "REDIRECTED":
      return translate(
        {
          id: "tryIt.error.other",
          message:
            "Something at {service} answered, but not the API. Look at the answer below, and at what is in front of the service.",
        },
        { service },
      );
    case "RATE_LIMITED": {
      const waitMs = error instanceof RateLimited ? (error.retryAfterMs ?? 1000) : 1000;
      return translate(
        {
          id: "tryIt.error.rate",
          message:
            "The service takes no more requests from you for now. Send it again in {seconds} s.",
        },
        { seconds: String(Math.ceil(waitMs / 1000)) },
      );
    }
    case "CREDENTIAL_NOT_FOUND":
      return translate(
        {
          id: "tryIt.error.unknown",
          message:
            "No user of the organization {organization} has this credential. Register it there, or enter the id of the organization that knows it.",
        },
        { organization: organizationId },
      );
    case "CANCELLED":
      return translate(
        {
          id: "tryIt.error.cancelled",
          message:
            "The passkey prompt was closed, or this device has no passkey of {host}. Try again, or connect with an API key.",
        },
        { host: globalThis.location?.hostname ?? "" },
      );
    default:
      // The page that explains the code is linked beside the sentence.
      return asSentence(error.message.replace(/ See https?:\S+$/, ""));
  }
}

function unreachable(service: string): string {
  return translate(
    {
      id: "tryIt.error.network",
      message:
        "Nothing answers at {service}. Start the service there, or check your network, and send the request again.",
    },
    { service },
  );
}

function asSentence(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`;
}

/** Why this page can't use a pasted text as a key. */
export function tellKeyFault(fault: KeyFault): string {
  switch (fault) {
    case "empty":
      return translate({
        id: "tryIt.key.empty",
        message: "Paste a key first: the content of root-api-key.json, or a private key in hex.",
      });
    case "not a key":
      return translate({
        id: "tryIt.key.notKey",
        message:
          "This is not an API key. Paste the content of a key file such as root-api-key.json, or the private key as 64 hex characters.",
      });
    case "public half":
      return translate({
        id: "tryIt.key.publicHalf",
        message:
          "This is the public half of a key, which stamps nothing. Paste the private half, or the whole key file.",
      });
    case "secp256k1":
    case "Ed25519":
      return translate(
        {
          id: "tryIt.key.curve",
          message:
            "This key is on {curve}. This page holds keys on P-256 only: paste one of these, or make a key here.",
        },
        { curve: fault },
      );
    case "not a pair":
      return translate({
        id: "tryIt.key.notPair",
        message:
          "The public key in this text is not that of the private key. Paste both from the same key file.",
      });
  }
}

const limits: Record<Limit, string> = {
  minLength: translate({ id: "tryIt.body.minLength", message: "needs {bound} characters or more" }),
  maxLength: translate({ id: "tryIt.body.maxLength", message: "has more than {bound} characters" }),
  minItems: translate({ id: "tryIt.body.minItems", message: "needs {bound} entries or more" }),
  maxItems: translate({ id: "tryIt.body.maxItems", message: "has more than {bound} entries" }),
  minimum: translate({ id: "tryIt.body.minimum", message: "must be at least {bound}" }),
  maximum: translate({ id: "tryIt.body.maximum", message: "must be at most {bound}" }),
};

/** What is wrong at a place of the body, and what to do. */
export function tellFault(fault: Fault): string {
  switch (fault.kind) {
    case "syntax":
      return (
        syntax[fault.code] ?? translate({ id: "tryIt.json.other", message: "this is not JSON" })
      );
    case "twice":
      return translate(
        { id: "tryIt.body.twice", message: "`{name}` is there twice, so remove one of them" },
        { name: fault.name },
      );
    case "unknown":
      return translate(
        {
          id: "tryIt.body.unknown",
          message: "`{name}` is not a field of this request, so correct its name or remove it",
        },
        { name: fault.name },
      );
    case "missing":
      return translate(
        { id: "tryIt.body.missing", message: "`{name}` is required here, so add it" },
        { name: fault.name },
      );
    case "type":
      return translate(
        { id: "tryIt.body.type", message: "this must be of the type {type}" },
        { type: fault.expected },
      );
    case "values":
      return translate(
        { id: "tryIt.body.values", message: "this must be {values}" },
        { values: listed(fault.accepted) },
      );
    case "pattern":
      return translate(
        {
          id: "tryIt.body.pattern",
          message: "this does not have the form of `{name}`: see its description below",
        },
        { name: fault.name },
      );
    case "limit":
      return limits[fault.limit].replace("{bound}", String(fault.bound));
    case "other":
      return translate(
        {
          id: "tryIt.body.other",
          message: "the service does not take this for `{name}`: see its description below",
        },
        { name: fault.name },
      );
  }
}

/** The first few: some fields accept dozens of values, and the table below has them all. */
function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, 6).map((value) => `\`${value}\``);
  const or = translate({ id: "tryIt.body.or", message: " or " });
  return shown.join(or) + (values.length > shown.length ? ", …" : "");
}
