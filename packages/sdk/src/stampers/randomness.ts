import { Unsupported } from "../errors/errors.ts";

/** Throws `Unsupported` without a source of random bytes, which React Native has only by a package. */
export function checkRandomness(): void {
  if (typeof globalThis.crypto?.getRandomValues === "function") return;
  throw new Unsupported(
    "This runtime has no crypto.getRandomValues, so it cannot make keys. In React Native, install react-native-get-random-values, and import it before everything else",
    { code: "UNSUPPORTED" },
  );
}

export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  checkRandomness();
  return crypto.getRandomValues(new Uint8Array(length));
}
