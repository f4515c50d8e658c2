import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { readText } from "../json.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

const ENCODINGS = {
  hexadecimal: "PAYLOAD_ENCODING_HEXADECIMAL",
  text: "PAYLOAD_ENCODING_TEXT_UTF8",
  eip712: "PAYLOAD_ENCODING_EIP712",
  eip7702: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
} as const;

const HASHES = {
  "no-op": "HASH_FUNCTION_NO_OP",
  sha256: "HASH_FUNCTION_SHA256",
  keccak256: "HASH_FUNCTION_KECCAK256",
  "not-applicable": "HASH_FUNCTION_NOT_APPLICABLE",
} as const;

/** Signs bytes, without knowing what they mean. */
export async function signPayload(given: Given, surroundings: Surroundings): Promise<Report> {
  const signWith = given.required("with", "the address of an account, or the id of a private key");
  const encoding = given.choice("encoding", ["hexadecimal", "text", "eip712", "eip7702"]);
  const isTyped = encoding === "eip712" || encoding === "eip7702";
  const hash = hashOf(given, isTyped);
  const file = given.option("file");
  const payload = file === undefined ? given.wordIfAny(0) : (await readText(file)).trimEnd();
  if (payload === undefined || payload === "") {
    throw new InputError("sign payload needs a payload, or --file FILE; `-` reads standard input");
  }
  const { client } = await connect(given, surroundings);
  const { r, s, v } = await client.signRawPayload({
    signWith,
    payload,
    encoding: ENCODINGS[encoding],
    hashFunction: HASHES[hash],
  });
  return factsReport({ r, s, v }, [
    ["r", r],
    ["s", s],
    ["v", v],
  ]);
}

/** What to hash with decides what is signed, so only typed data has a usual one. */
function hashOf(given: Given, isTyped: boolean): keyof typeof HASHES {
  if (isTyped && given.option("hash") === undefined) return "no-op";
  given.required(
    "hash",
    "no-op for a digest of 32 bytes, sha256 or keccak256, or not-applicable for keys on Ed25519",
  );
  return given.choice("hash", ["no-op", "sha256", "keccak256", "not-applicable"]);
}
