import {
  createNativePasskey,
  NativePasskeyStamper,
  type PasskeyModule,
} from "@keyhearth/sdk/stampers/native-passkey";

/** `passkeys` is a native module, such as `import * as passkeys from "react-native-passkeys"`. */
export function registerPasskey(passkeys: PasskeyModule, userName: string) {
  const rp = { id: "app.example.com", name: "Example" };
  return createNativePasskey({ passkeys, rp, user: { name: userName } });
}

/** Stamps with the passkeys of that domain, with one prompt for each stamp. */
export function passkeyStamper(passkeys: PasskeyModule) {
  return new NativePasskeyStamper({ passkeys, rpId: "app.example.com" });
}
