import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ErrorCode, type Reason, reasons } from "@keyhearth/engine/errors";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What the short forms of `ApiError` are thrown as. */
const CODE_OF: Record<string, ErrorCode> = {
  invalid: "INVALID_ARGUMENT",
  alreadyExists: "ALREADY_EXISTS",
  unauthenticated: "UNAUTHENTICATED",
  recordRefused: "INTERNAL",
  notFound: "NOT_FOUND",
  limitExceeded: "RESOURCE_EXHAUSTED",
};

/** Every machine code with the kinds of error that the service's sources throw it as. */
export function thrownErrors(): Map<Reason, Set<ErrorCode>> {
  const thrown = new Map<Reason, Set<ErrorCode>>(reasons.map((reason) => [reason, new Set()]));
  const files = globSync("{packages/{engine,policy},apps/{api,signer,courier}}/src/**/*.ts", {
    cwd: root,
  });
  for (const file of files) {
    if (/\.test\.ts$|testing/.test(file)) continue;
    // The API's own clock asks for segments, so no client sees what is thrown there.
    if (file.endsWith("receipts/receipts.ts")) continue;
    const source = readFileSync(root + file, "utf8");
    for (const match of source.matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z]+)+|CONFLICT|INTERNAL)"/g)) {
      const code = codeOfCall(source, match.index);
      // The map has all reasons as its keys, so another text finds nothing.
      if (code) thrown.get(match[1] as Reason)?.add(code);
    }
  }
  return thrown;
}

/** What the call throws whose argument begins at this place. */
function codeOfCall(source: string, place: number): ErrorCode | undefined {
  let open = 0;
  for (let at = place - 1; at >= 0 && open < 1; at -= 1) {
    if (source[at] === ")") open -= 1;
    if (source[at] === "(") open += 1;
    if (open < 1) continue;
    const [name = ""] = /\w+$/.exec(source.slice(Math.max(0, at - 40), at)) ?? [];
    if (!/^(ApiError|TryLater|RateLimited)$/.test(name)) return CODE_OF[name];
    const [, code] = /^\(\s*"([A-Z_]+)"\s*,/.exec(source.slice(at, place)) ?? [];
    // The first argument of `ApiError` is one of its codes.
    return code as ErrorCode | undefined;
  }
  return undefined;
}
