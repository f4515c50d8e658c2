import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The prompt of a native module: options and answer are those of WebAuthn, as JSON. */
export type GetPasskey = (options: {
  challenge: string;
  rpId: string;
  userVerification: string;
  allowCredentials: { type: "public-key"; id: string }[];
}) => Promise<{
  id: string;
  response: { authenticatorData: string; clientDataJSON: string; signature: string };
}>;

/** Stamps with a passkey of the phone, so people see a prompt for each stamp. */
export class NativePasskeyStamper {
  readonly rpId: string;
  readonly get: GetPasskey;
  readonly credentialIds: readonly string[];

  constructor(options: { rpId: string; get: GetPasskey; credentialIds?: readonly string[] }) {
    this.rpId = options.rpId;
    this.get = options.get;
    this.credentialIds = options.credentialIds ?? [];
  }

  async stamp(body: string) {
    const { id, response } = await this.get({
      challenge: base64Url(bytesToHex(sha256(utf8ToBytes(body)))),
      rpId: this.rpId,
      userVerification: "preferred",
      allowCredentials: this.credentialIds.map((each) => ({
        type: "public-key" as const,
        id: each,
      })),
    });
    const value = JSON.stringify({
      credentialId: id,
      authenticatorData: response.authenticatorData,
      clientDataJson: response.clientDataJSON,
      signature: response.signature,
    });
    return { name: "X-Stamp-Webauthn", value };
  }
}

/** The challenge is the text of the digest. Hex has only ASCII, so each character is a byte. */
function base64Url(text: string) {
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
