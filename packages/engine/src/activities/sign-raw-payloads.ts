import * as z from "zod";
import {
  checkPayload,
  HashFunction,
  isStructured,
  Payload,
  PayloadEncoding,
  Signature,
  SignWith,
  signPayload,
} from "../chains/payload.ts";
import { invalid } from "../errors.ts";
import { findKeyHolder } from "../keys/key-holder.ts";
import { signingRoots } from "../policies/environment.ts";
import { defineActivity } from "../submission/define.ts";

/** Signs several payloads with one key, one encoding and one hash function. */
export const signRawPayloads = defineActivity({
  name: "sign_raw_payloads",
  tag: "Signing",
  summary: "Sign raw payloads",
  description: "Sign several raw payloads with the same key and the same parameters.",
  policy: { resource: "PRIVATE_KEY", action: "SIGN" },
  keepsDocument: true,
  defaultType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS",
  versions: {
    ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: {
      intentKey: "signRawPayloadsIntent",
      resultKey: "signRawPayloadsResult",
      intent: z.strictObject({
        signWith: SignWith,
        payloads: z
          .array(Payload)
          .min(1, "must have at least one payload")
          .max(1000, "must have at most 1000 payloads")
          .describe("Payloads to sign; the signatures come in the same order."),
        encoding: PayloadEncoding,
        hashFunction: HashFunction,
      }),
      result: z.strictObject({
        signatures: z
          .array(Signature)
          .describe("Signatures in the order of the payloads.")
          .optional(),
      }),
    },
  },
  example: {
    signWith: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    payloads: ["hello", "world"],
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_SHA256",
  },
  wants: ({ signWith }) => [{ type: "signing-key", signWith }],
  roots: (facts, { signWith }) => signingRoots(findKeyHolder(facts, signWith)),

  check({ records }, { signWith, payloads, encoding, hashFunction }) {
    const { curve } = records.signingKey(signWith);
    // A policy reads one typed message: a second one would be signed unseen.
    if (isStructured(encoding)) {
      throw invalid(
        "parameters.encoding",
        `invalid payload encoding: \`${encoding}\` is for sign_raw_payload: sign each payload by a request of its own`,
        "FIELD_UNSUPPORTED",
      );
    }
    for (const [index, payload] of payloads.entries()) {
      const params = { payload, encoding, hashFunction };
      checkPayload(curve, params, `parameters.payloads[${index}]`);
    }
  },

  execute({ records }, { signWith, payloads, encoding, hashFunction }) {
    const key = records.signingKey(signWith);
    const signatures = payloads.map((payload) =>
      signPayload(key, { payload, encoding, hashFunction }),
    );
    return { signatures };
  },
});
