import { newPasskey, type TestPasskey } from "@keyhearth/engine/passkey.testing";
import type { PasskeyCreation, PasskeyModule, PasskeyRequest } from "./native-passkey.ts";
import type { Keychain, SecureStore } from "./secure-storage.ts";

// What the native modules of a phone do, in software. They answer from what they are asked, and know no request's body.

export type Phone = {
  passkeys: PasskeyModule & Required<Pick<PasskeyModule, "create">>;
  asked: PasskeyRequest[];
  creations: PasskeyCreation[];
  store: SecureStore;
  keychain: Keychain;
  /** What is in the secure storage. */
  kept: Map<string, string>;
};

/** `base64` is the form of the answers: some modules pad them, and use the alphabet of base64. */
export function newPhone({ base64 = (text: string) => text } = {}): Phone {
  const ownPasskeys = new Map<string, TestPasskey>();
  const kept = new Map<string, string>();
  const asked: PasskeyRequest[] = [];
  const creations: PasskeyCreation[] = [];
  return {
    asked,
    creations,
    kept,
    passkeys: {
      async create(request) {
        creations.push(request);
        const { challenge, rp } = request;
        const passkey = newPasskey({ challenge, rpId: rp.id, origin: `https://${rp.id}` });
        const { credentialId, clientDataJson, attestationObject } = passkey.params.attestation;
        ownPasskeys.set(credentialId, passkey);
        return {
          id: base64(credentialId),
          response: {
            attestationObject: base64(attestationObject),
            clientDataJSON: base64(clientDataJson),
            transports: ["internal", "hybrid", "teleport"],
          },
        };
      },
      async get(request) {
        asked.push(request);
        const { allowCredentials, challenge, rpId } = request;
        const [first] = ownPasskeys.keys();
        const id = allowCredentials[0]?.id ?? first ?? "";
        const stamp = ownPasskeys
          .get(id)
          ?.stamp("", { challenge, rpId, origin: `https://${rpId}` });
        if (stamp === undefined) throw { error: "NoCredentials", message: "No viable credential" };
        const { authenticatorData, clientDataJson, signature } = JSON.parse(stamp);
        return {
          id: base64(id),
          response: {
            authenticatorData: base64(authenticatorData),
            clientDataJSON: base64(clientDataJson),
            signature: base64(signature),
          },
        };
      },
    },
    store: {
      getItemAsync: async (key) => kept.get(checked(key)) ?? null,
      async setItemAsync(key, value) {
        // Larger texts are refused by some versions of iOS.
        if (value.length > 2048) throw new Error("the value is larger than 2,048 bytes");
        kept.set(checked(key), value);
      },
      async deleteItemAsync(key) {
        kept.delete(checked(key));
      },
    },
    keychain: {
      async getGenericPassword({ service } = { service: "" }) {
        const password = kept.get(service);
        return password === undefined ? false : { password };
      },
      async setGenericPassword(_, password, { service } = { service: "" }) {
        kept.set(service, password);
        return { service };
      },
      async resetGenericPassword({ service } = { service: "" }) {
        return kept.delete(service);
      },
    },
  };
}

/** What expo-secure-store takes as a key. */
function checked(key: string): string {
  if (/^[\w.-]+$/.test(key)) return key;
  throw new Error(`Invalid key provided to SecureStore: ${key}`);
}
