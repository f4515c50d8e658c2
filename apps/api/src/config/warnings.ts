import { courierVariables } from "@keyhearth/courier/settings";
import { deprecationWarnings } from "./deprecations.ts";
import { described, type Environment, given, variables } from "./variables.ts";

/** Names kept for features that are not built yet. Setting one must not look as if it worked. */
const reserved = /^KEYHEARTH_ASSISTANT_(URL|KEY|MODEL)$/;

/** Of the processes of courier and signer, which may be given the same environment. */
const ofOthers: readonly string[] = [
  ...["KEYHEARTH_COURIER_STATE", "KEYHEARTH_MARKS", "KEYHEARTH_SIGNER_LISTEN"],
  ...["KEYHEARTH_SIGNER_NAME", "KEYHEARTH_SIGNER_WORKERS"],
];

/** For a service that others may reach. Limit 1 of SECURITY.md. */
export const EMBEDDED_SIGNER =
  "the signer is embedded although other machines may reach this service, so whoever takes over the service has every key; run the signer as its own process under its own user id, and set KEYHEARTH_SIGNER (see /self-hosting/production)";

export function moreWorkersThanCores(workers: number): string {
  return `KEYHEARTH_API_WORKERS is \`${workers}\`, which is more than this machine has cores; they take turns on them`;
}

/** Nothing else than a proxy, or a tunnel, leads from another host's name to a loopback address. */
export const UNLISTED_PROXY =
  "KEYHEARTH_PUBLIC_URL names another host, so a proxy on this machine answers there, but KEYHEARTH_TRUSTED_PROXIES is not set: all clients seem to have the proxy's address and share one limit; set it to the address of the proxy, such as 127.0.0.1";

/** Sentences about variables that are set and have no effect. */
export function collectWarnings(
  env: Environment,
  {
    isLoopback,
    isSeparate,
    hasRemoteSigner,
  }: Record<"isLoopback" | "isSeparate" | "hasRemoteSigner", boolean>,
): string[] {
  const warnings = deprecationWarnings(env);
  for (const name of Object.keys(env).toSorted()) {
    if (given(env, name) === undefined) continue;
    if (isSeparate && Object.hasOwn(courierVariables, name)) {
      warnings.push(
        `${name} is set but has no effect here: the process of KEYHEARTH_COURIER needs it`,
      );
    }
    if (/^KEYHEARTH_SIGNER_(PINS|KEY_PATH)$/.test(name) && !hasRemoteSigner) {
      warnings.push(`${name} is set but has no effect: KEYHEARTH_SIGNER has no tls:// address`);
    }
    if (Object.hasOwn(described, name) || ofOthers.includes(name)) continue;
    if (reserved.test(name)) {
      warnings.push(`${name} is set but this version does not use it`);
    } else if (name.startsWith("KEYHEARTH_")) {
      warnings.push(
        `${name} is set but unknown; the nearest known variable is ${nearestName(name)}`,
      );
    }
  }
  if (!isLoopback && given(env, "KEYHEARTH_PUBLIC_URL") === undefined) {
    warnings.push(
      "KEYHEARTH_PUBLIC_URL is not set although HOST is not loopback; links will point to localhost",
    );
  }
  return warnings;
}

function nearestName(name: string): string {
  const names = variables.map((variable) => variable.name);
  const distances = names.map((candidate) => editDistance(name, candidate));
  return names[distances.indexOf(Math.min(...distances))] ?? "";
}

/** Levenshtein, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
