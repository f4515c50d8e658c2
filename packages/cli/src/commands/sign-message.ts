import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { findSigner, type Signer } from "../found.ts";
import { readText } from "../json.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** Signs a text as wallets of the chain do: EIP-191 for Ethereum, the bytes themselves on Ed25519, else their SHA-256. */
export async function signMessage(given: Given, surroundings: Surroundings): Promise<Report> {
  const address = given.required("with", "the address of an account, or the id of a private key");
  const file = given.option("file");
  const message = messageIn(file === undefined ? given.wordIfAny(0) : await readText(file));
  const { client } = await connect(given, surroundings);
  const signer = await findSigner(client, address);
  const { r, s, v } = await client.signRawPayload({
    signWith: signer.signWith,
    ...payloadOf(message, signer),
  });
  const signature = signer.isEthereum ? `0x${r}${s}${recoveryOf(v)}` : `${r}${s}`;
  return factsReport({ signature, r, s, v, scheme: schemeOf(signer) }, [
    ["signature", signature],
    ["scheme", schemeOf(signer)],
  ]);
}

function messageIn(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new InputError("sign message needs a text, or --file FILE; `-` reads standard input");
}

function schemeOf({ curve, isEthereum }: Signer): string {
  if (isEthereum) return "EIP-191";
  return curve === "CURVE_ED25519" ? "Ed25519 of the text" : "ECDSA of the text's SHA-256";
}

function payloadOf(message: string, { curve, isEthereum }: Signer) {
  const encoding = "PAYLOAD_ENCODING_TEXT_UTF8" as const;
  if (isEthereum) {
    const length = Buffer.byteLength(message, "utf8");
    const payload = `\u0019Ethereum Signed Message:\n${length}${message}`;
    return { payload, encoding, hashFunction: "HASH_FUNCTION_KECCAK256" as const };
  }
  const hashFunction =
    curve === "CURVE_ED25519"
      ? ("HASH_FUNCTION_NOT_APPLICABLE" as const)
      : ("HASH_FUNCTION_SHA256" as const);
  return { payload: message, encoding, hashFunction };
}

/** The last byte of an Ethereum signature: 27 or 28. */
function recoveryOf(v: string): string {
  return (Number.parseInt(v, 16) + 27).toString(16).padStart(2, "0");
}
