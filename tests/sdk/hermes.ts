import { randomFillSync } from "node:crypto";
import { type Context, createContext, runInContext } from "node:vm";
import type { Fetch } from "@keyhearth/sdk";

// Hermes is not a package, so Node.js runs bundles with no more than what Hermes and React Native have.

/**
 * What the language has in Node.js and lacks in the Hermes of React Native 0.81, the oldest one that the SDK is made for:
 * not in `include/hermes/VM/PredefinedStrings.def` and `lib/InternalBytecode` of the branch `rn/0.81-stable` of
 * github.com/facebook/hermes. Left out are the oldest methods of strings, and the parts of Intl.
 */
const missing = [
  "Array.fromAsync",
  "Array.prototype.toSorted",
  "ArrayBuffer.prototype.resize",
  "ArrayBuffer.prototype.transfer",
  "ArrayBuffer.prototype.transferToFixedLength",
  "Atomics",
  "Error.isError",
  "FinalizationRegistry",
  "Float16Array",
  "Iterator",
  "JSON.rawJSON",
  "Map.groupBy",
  "Object.groupBy",
  "Promise.try",
  "Promise.withResolvers",
  "RegExp.escape",
  "Set.prototype.difference",
  "Set.prototype.intersection",
  "Set.prototype.isDisjointFrom",
  "Set.prototype.isSubsetOf",
  "Set.prototype.isSupersetOf",
  "Set.prototype.symmetricDifference",
  "Set.prototype.union",
  "SharedArrayBuffer",
  "String.prototype.isWellFormed",
  "String.prototype.toWellFormed",
  "Uint8Array.fromBase64",
  "Uint8Array.fromHex",
  "Uint8Array.prototype.toBase64",
  "Uint8Array.prototype.toHex",
  "WebAssembly",
];

/**
 * A world with the globals of React Native that the SDK uses: those of `Libraries/Core/setUpXHR.js`, `setUpTimers.js` and
 * `src/private/setup/setUpPerformance.js` of the package react-native 0.88.1, and Hermes' own TextEncoder. There is no
 * `crypto`, `TextDecoder`, `Buffer`, `btoa`, `structuredClone`, `indexedDB` or `BroadcastChannel`.
 */
export function newHermes(fetch: Fetch): Context {
  const setTimer = (work: () => void, ms: number) => setTimeout(work, ms);
  const world = createContext({
    fetch: async (url: string, init: RequestInit) => answerOf(await fetch(url, init)),
    setTimeout: setTimer,
    clearTimeout,
    queueMicrotask: (work: () => void) => queueMicrotask(work),
    performance: { now: () => performance.now() },
    process: { env: {} },
    navigator: { product: "ReactNative" },
    ...{ AbortController, TextEncoder, URL: AddressOfReactNative, console },
  });
  for (const path of missing) runInContext(`delete globalThis.${path}`, world);
  runInContext("globalThis.global = globalThis", world);
  return world;
}

/** What the package `react-native-get-random-values` adds to a world. */
export function randomValues<Bytes extends NodeJS.ArrayBufferView>(bytes: Bytes): Bytes {
  return randomFillSync(bytes);
}

/** An answer of `whatwg-fetch`, which React Native uses: it has no stream, and says nothing of redirects. */
async function answerOf(response: Response) {
  const text = await response.text();
  const { status, ok, headers } = response;
  return { status, ok, headers, type: "default", text: async () => text };
}

/**
 * The URL of React Native (`Libraries/Blob/URL.js`) takes every text, and finds the parts by patterns. It has no static
 * `parse` and `canParse`.
 */
class AddressOfReactNative {
  readonly #text: string;

  constructor(text: string) {
    this.#text = /^https?:\/\/[^/?#]+$/.test(text) ? `${text}/` : text;
  }

  get href(): string {
    return this.#text;
  }

  get protocol(): string {
    return /^[a-z][a-z\d+.-]*:/i.exec(this.#text)?.[0] ?? "";
  }

  get hostname(): string {
    return /^https?:\/\/(?:[^@]+@)?([^:/?#]+)/.exec(this.#text)?.[1] ?? "";
  }

  get username(): string {
    return /^https?:\/\/([^:@]+)(?::[^@]*)?@/.exec(this.#text)?.[1] ?? "";
  }

  get password(): string {
    return /https?:\/\/.*:(.*)@/.exec(this.#text)?.[1] ?? "";
  }

  get search(): string {
    return /\?[^#]*/.exec(this.#text)?.[0] ?? "";
  }

  get hash(): string {
    return /#[^/]*/.exec(this.#text)?.[0] ?? "";
  }
}
