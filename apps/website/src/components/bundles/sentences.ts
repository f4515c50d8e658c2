import { translate } from "@docusaurus/Translate";
import { shownNames } from "../inspect/names.ts";
import type { Bundle, BundleFault, Signed } from "./inspect-bundle.ts";

/** What a bundle is, and who reads it. */
export function tellKind(kind: Bundle["kind"]): { name: string; what: string } {
  switch (kind) {
    case "import":
      return {
        name: translate({ id: "bundle.import", message: "import bundle" }),
        what: translate({
          id: "bundle.import.what",
          message:
            "It names the key to which a user encrypts what they import. It is signed, and contains nothing secret.",
        }),
      };
    case "export":
      return {
        name: translate({ id: "bundle.export", message: "export bundle" }),
        what: translate({
          id: "bundle.export.what",
          message:
            "It carries an exported wallet or key, encrypted to the target key of the request. It is signed. Only the holder of that target key can read the secret.",
        }),
      };
    case "code":
      return {
        name: translate({ id: "bundle.code", message: "bundle for a one-time code" }),
        what: translate({
          id: "bundle.code.what",
          message:
            "It names the key to which a client encrypts the code that the user typed. The signer’s verification key signs it.",
        }),
      };
    case "encrypted":
      return {
        name: translate({ id: "bundle.encrypted", message: "encrypted secret for the signer" }),
        what: translate({
          id: "bundle.encrypted.what",
          message:
            "A client encrypted it to the key of an import bundle or of a bundle for a code. It is not signed: the stamp of the request that carries it is its proof.",
        }),
      };
    case "login":
      return {
        name: translate({ id: "bundle.login", message: "credential bundle of a login" }),
        what: translate({
          id: "bundle.login.what",
          message:
            "It carries the private key of a session, encrypted to the target key of the login. It is not signed, because nothing is gained by a forged one.",
        }),
      };
  }
}

/** Whether the signature holds, and what to do. */
export function tellSignature(verdict: Signed["verdict"]): string {
  switch (verdict) {
    case "by the given key":
      return translate({
        id: "bundle.signed.given",
        message: "The signer whose key you entered signed exactly these data.",
      });
    case "by the key it names":
      return translate({
        id: "bundle.signed.named",
        message:
          "The key that the bundle itself names signed it, which anyone can arrange. Enter the signer key that you pinned to know whose it is.",
      });
    case "another signer":
      return translate({
        id: "bundle.signed.other",
        message:
          "Another signer than yours signed it. Do not use it, and ask your operator which signer key is right.",
      });
    case "changed":
      return translate({
        id: "bundle.signed.changed",
        message:
          "The signature does not belong to these data, so the bundle was changed after it was signed, or a part was replaced. Do not use it, and ask for a new one.",
      });
  }
}

/** What keeps a text from being a bundle: what it is, what is accepted, and what to do. */
export function tellBundleFault(fault: BundleFault): string {
  switch (fault.kind) {
    case "long":
      return translate(
        {
          id: "bundleFault.long",
          message:
            "This is longer than any bundle, which has {most} characters at most. Paste one bundle only.",
        },
        { most: fault.most.toLocaleString("en") },
      );
    case "other":
      return translate({
        id: "bundleFault.other",
        message:
          "This is not a bundle. Paste the JSON of an import or export, or the base58 text of a login, as the service or the mail has it.",
      });
    case "truncated":
      return translate({
        id: "bundleFault.truncated",
        message: "This bundle is cut off: its end is missing. Copy the whole text.",
      });
    case "twice":
      return translate({
        id: "bundleFault.twice",
        message:
          "This JSON could be read in two ways: a name comes twice, or something is nested. No service sends such a bundle, so do not use it.",
      });
    case "checksum":
      return translate({
        id: "bundleFault.checksum",
        message:
          "The checksum of this bundle is wrong, so a character was lost or changed, or its end is missing. Copy it again.",
      });
    case "length":
      return translate(
        {
          id: "bundleFault.length",
          message:
            "This has {given} characters and is not a credential bundle, which has 117 at most and holds 85 bytes. Copy the whole text, and nothing else.",
        },
        { given: String(fault.given) },
      );
    case "signature":
      return translate({
        id: "bundleFault.signature",
        message:
          "`dataSignature` is not a signature in DER, so the bundle was cut or changed. Copy it again.",
      });
    case "version":
      return translate(
        {
          id: "bundleFault.version",
          message: "`version` is `{given}`, and this page reads bundles of `v1.0.0`.",
        },
        { given: fault.given.slice(0, 40) },
      );
    case "members":
      return membersSentence(fault);
    case "member":
      return memberSentence(fault.name, fault.expected);
  }
}

function memberSentence(name: string, expected: "hex" | "point" | "id"): string {
  switch (expected) {
    case "hex":
      return translate(
        {
          id: "bundleFault.hex",
          message:
            "`{name}` is not hex of whole bytes, so the bundle was cut or changed. Copy it again.",
        },
        { name },
      );
    case "point":
      return translate(
        {
          id: "bundleFault.point",
          message:
            "`{name}` is not a public key on P-256, so the bundle was cut or changed. Copy it again.",
        },
        { name },
      );
    case "id":
      return translate(
        { id: "bundleFault.id", message: "`{name}` is not an id, which is a UUID in lower case." },
        { name },
      );
  }
}

function membersSentence({ missing, unknown }: { missing: string[]; unknown: string[] }): string {
  if (missing.length === 0) {
    return translate(
      {
        id: "bundleFault.unknown",
        message: "This object has members that no bundle has: {names}. Do not use it.",
      },
      { names: shownNames(unknown) },
    );
  }
  return translate(
    {
      id: "bundleFault.missing",
      message:
        "This object is not a bundle: {names} is missing. Copy the whole text of the bundle.",
    },
    { names: shownNames(missing) },
  );
}
