import * as z from "zod";
import {
  HashFunction,
  Payload,
  PayloadEncoding,
  payloadRoots,
  readPayload,
  Signature,
  SignWith,
  signPayload,
} from "../chains/payload.ts";
import { defineActivity } from "../declare/define.ts";
import { PrivateKeyId } from "../fields/schemas.ts";
import { readWithKey } from "../keys/key-holder.ts";
import { signingRoots } from "../keys/policy-roots.ts";

/** Signs bytes that the caller encoded. For ECDSA keys, the caller also chose the hash function. */
export const signRawPayload = defineActivity({
  name: "sign_raw_payload",
  tag: "Signing",
  summary: "Sign raw payload",
  description: "Sign a raw payload with a private key or wallet account.",
  policy: { resource: "PRIVATE_KEY", action: "SIGN" },
  changes: "nothing",
  defaultType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
  versions: {
    ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: {
      intentKey: "signRawPayloadIntent",
      resultKey: "signRawPayloadResult",
      intent: z.strictObject({
        privateKeyId: PrivateKeyId,
        payload: Payload,
        encoding: PayloadEncoding,
        hashFunction: HashFunction,
      }),
      result: Signature,
    },
    ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: {
      intentKey: "signRawPayloadIntentV2",
      resultKey: "signRawPayloadResult",
      intent: z.strictObject({
        signWith: SignWith,
        payload: Payload,
        encoding: PayloadEncoding,
        hashFunction: HashFunction,
      }),
      result: Signature,
    },
  },
  example: {
    signWith: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  },
  upgrade: {
    ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: ({ privateKeyId, ...rest }) => ({
      signWith: privateKeyId,
      ...rest,
    }),
  },
  wants: ({ signWith }) => [{ type: "signing-key", signWith }],

  read: (sources, intent) =>
    readWithKey(sources, intent.signWith, (scheme) => ({ content: readPayload(scheme, intent) })),

  roots: ({ key, content }) => ({ ...signingRoots(key), ...payloadRoots(content) }),

  execute({ keys }, { hashFunction }, { key, content }) {
    return signPayload(content, { scheme: key.scheme, hashFunction }, keys.privateKey(key));
  },
});
