import * as z from "zod";
import {
  type Content,
  HashFunction,
  isStructured,
  Payload,
  PayloadEncoding,
  readPayloads,
  Signature,
  SignWith,
  signPayload,
} from "../chains/payload.ts";
import { defineActivity } from "../declare/define.ts";
import { checkAll, invalid } from "../errors.ts";
import { list } from "../fields/schemas.ts";
import { readWithKey, type Scheme } from "../keys/key-holder.ts";
import { signingRoots } from "../keys/policy-roots.ts";

/** Signs several payloads with one key, one encoding and one hash function. */
export const signRawPayloads = defineActivity({
  name: "sign_raw_payloads",
  tag: "Signing",
  summary: "Sign raw payloads",
  description: "Sign several raw payloads with the same key and the same parameters.",
  policy: { resource: "PRIVATE_KEY", action: "SIGN" },
  changes: "nothing",
  defaultType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS",
  versions: {
    ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: {
      intentKey: "signRawPayloadsIntent",
      resultKey: "signRawPayloadsResult",
      intent: z.strictObject({
        signWith: SignWith,
        payloads: list(
          Payload,
          "Payloads to sign. The signatures are in the same order. With a Taproot address, at most 100.",
          { empty: "must have at least one payload", max: 1000, entries: "payloads" },
        ),
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

  read(sources, { signWith, payloads, encoding, hashFunction }) {
    return readWithKey(sources, signWith, (scheme) => {
      // A policy reads a single typed message, so it would not see a second one.
      if (isStructured(encoding)) {
        throw invalid(
          "parameters.encoding",
          `invalid payload encoding: \`${encoding}\` works only in sign_raw_payload: sign each payload in its own request`,
          "FIELD_UNSUPPORTED",
        );
      }
      const fields = payloads.map((payload, index) => ({
        payload,
        field: `parameters.payloads[${index}]`,
      }));
      let contents: Content[] = [];
      checkAll(
        () => assertFew(scheme, payloads.length),
        () => {
          contents = readPayloads(scheme, { encoding, hashFunction }, fields);
        },
      );
      return { contents };
    });
  },

  roots: ({ key }) => signingRoots(key),

  execute({ keys }, { hashFunction }, { key, contents }) {
    const signatures = contents.map((content) =>
      signPayload(content, { scheme: key.scheme, hashFunction }, keys.privateKey(key)),
    );
    return { signatures };
  },
});

/** As many as inputs of a PSBT: others wait in the meantime, and Taproot signatures take the longest. */
const MAX_TAPROOT = 100;

function assertFew(scheme: Scheme | undefined, count: number) {
  if (scheme !== "taproot" || count <= MAX_TAPROOT) return;
  throw invalid(
    "parameters.payloads",
    `must have at most ${MAX_TAPROOT} payloads, because \`signWith\` names a Taproot address: \`parameters.payloads\` is a list of ${count}, of which the others go into further requests`,
  );
}
