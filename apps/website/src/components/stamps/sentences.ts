import { translate } from "@docusaurus/Translate";
import { shownNames } from "../inspect/names.ts";
import type { Reason } from "./inspect-stamp.ts";
import type { StampFault } from "./read-header.ts";

/** What keeps a text from being a stamp: what it is, what is accepted, and what to do. */
export function tellStampFault(fault: StampFault): string {
  switch (fault.kind) {
    case "long":
      return translate(
        {
          id: "stampFault.long",
          message:
            "This is longer than any stamp, which has {most} characters at most. Paste only the value of the header.",
        },
        { most: fault.most.toLocaleString("en") },
      );
    case "base64":
      return translate({
        id: "stampFault.base64",
        message:
          "This is base64, and a stamp is base64url. Write `-` for `+` and `_` for `/`, and leave the `=` at the end out.",
      });
    case "encoding":
      return translate({
        id: "stampFault.encoding",
        message:
          "This is not a stamp: it is neither base64url nor JSON. Paste the value of `X-Stamp`, `X-Stamp-Webauthn` or `X-Stamp-Attested`, whole and without blanks.",
      });
    case "json":
      return translate({
        id: "stampFault.json",
        message:
          "This is not a stamp: what it encodes is not one JSON object in which each name comes once. Perhaps a part of it is missing: copy the whole value.",
      });
    case "members":
      return membersSentence(fault);
    case "part":
      return translate(
        {
          id: "stampFault.part",
          message:
            "`{name}` is not what an authenticator returns in base64url without padding. Send the bytes of the response unchanged.",
        },
        { name: fault.name },
      );
    case "scheme":
      return translate(
        {
          id: "stampFault.scheme",
          message:
            "`{given}` is not a scheme of stamps. Use one of the table below, such as `SIGNATURE_SCHEME_TK_API_P256`.",
        },
        { given: fault.given.slice(0, 80) },
      );
    case "keyHex":
      return translate({
        id: "stampFault.keyHex",
        message: "`publicKey` is not hex. Write the bytes of the public key in hex, without `0x`.",
      });
    case "keyLength":
      return translate(
        {
          id: "stampFault.keyLength",
          message:
            "`publicKey` has {given} bytes, and `{scheme}` takes {expected}: the compressed form of the key. A key of 65 bytes is not compressed.",
        },
        { given: String(fault.given), expected: String(fault.expected), scheme: fault.scheme },
      );
    case "curve":
      return translate(
        {
          id: "stampFault.curve",
          message:
            "`publicKey` is a key of another curve than the scheme’s: it is on `{given}`, and the scheme is `{scheme}`. Name the scheme of the key, or use another key.",
        },
        { given: fault.given, scheme: fault.scheme },
      );
    case "point":
      return translate(
        {
          id: "stampFault.point",
          message:
            "`publicKey` is no key on the curve of `{scheme}`. Perhaps a character is wrong: copy it again.",
        },
        { scheme: fault.scheme },
      );
    case "signatureHex":
      return translate({
        id: "stampFault.signatureHex",
        message: "`signature` is not hex. Write the bytes of the signature in hex, without `0x`.",
      });
    case "raw":
      return translate({
        id: "stampFault.raw",
        message:
          "`signature` has the 64 raw bytes that Web Crypto returns, and the API takes DER. Convert r and s to DER.",
      });
    case "der":
      return translate({
        id: "stampFault.der",
        message:
          "`signature` is not a signature of this scheme: DER for P-256 and secp256k1, 64 bytes for Ed25519. Perhaps a part of it is missing.",
      });
  }
}

function membersSentence({ missing, unknown }: { missing: string[]; unknown: string[] }): string {
  if (missing.length === 0) {
    return translate(
      {
        id: "stampFault.unknown",
        message: "This object has members that no stamp has: {names}. Leave them out.",
      },
      { names: shownNames(unknown) },
    );
  }
  return translate(
    {
      id: "stampFault.missing",
      message:
        "This object is not a stamp: {names} is missing. A stamp of an API key has `publicKey`, `scheme` and `signature`; that of a passkey has `credentialId`, `authenticatorData`, `clientDataJson` and `signature`.",
    },
    { names: shownNames(missing) },
  );
}

/** The likeliest reason why a stamp is not valid for a body, and what to do. */
export function tellReason(reason: Reason, scheme = ""): string {
  switch (reason) {
    case "blanks":
      return translate({
        id: "stampReason.blanks",
        message:
          "The body that was stamped differs only in blanks or line ends at its edges or in its line breaks. Send exactly the bytes that you stamp.",
      });
    case "serialized again":
      return translate({
        id: "stampReason.again",
        message:
          "The body was serialized again after it was stamped: the same JSON with other blanks is what the key signed. Send the string that you stamped, not the object.",
      });
    case "keys in another order":
      return translate({
        id: "stampReason.order",
        message:
          "The body was serialized again after it was stamped: the same JSON with its names in another order is what the key signed. Send the string that you stamped.",
      });
    case "hashed twice":
      return translate({
        id: "stampReason.twice",
        message:
          "The body was hashed twice. Give your library the body itself if it hashes, or sign the digest without hashing it again.",
      });
    case "signed the digest's text":
      return translate({
        id: "stampReason.hexDigest",
        message:
          "The hex text of the digest was signed, as a passkey does it. An API key signs the body itself.",
      });
    case "other scheme":
      return translate(
        {
          id: "stampReason.scheme",
          message: "The signature is right for another scheme: name `{scheme}` in the stamp.",
        },
        { scheme },
      );
    case "other body":
      return translate({
        id: "stampReason.otherBody",
        message:
          "The passkey signed another body: the digest in the challenge is not that of this one. The body was changed or serialized again after it was stamped.",
      });
    case "challenge is raw":
      return translate({
        id: "stampReason.rawChallenge",
        message:
          "The challenge is the digest as 32 bytes. It must be the 64 hex characters of the digest, as UTF-8.",
      });
    case "not a get":
      return translate({
        id: "stampReason.notGet",
        message:
          "The client data is not of `webauthn.get`: it comes from registering a passkey. A stamp needs a signature by `navigator.credentials.get`.",
      });
    case "nobody present":
      return translate({
        id: "stampReason.absent",
        message: "The authenticator says that no user was present, and a stamp needs one.",
      });
    case "other key":
      return translate({
        id: "stampReason.otherKey",
        message:
          "The signature is not by this public key. Look up the key by the credential id of the stamp.",
      });
    case "other key or body":
      return translate({
        id: "stampReason.either",
        message:
          "The key signed another body, or another key signed this one. Compare the digest below with that of the bytes that your client signed: if they are the same, the public key is not the one that signed.",
      });
  }
}
