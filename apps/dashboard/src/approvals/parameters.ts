import { seen } from "../ui/seen.ts";
import { isBlindText } from "./blind-texts.ts";

/** One value of a request or a result, with the names of what it is in. */
export type Leaf = { path: string; value: string };

const MOST = 1000;

/**
 * All values in their order. Empty lists and objects are values too: what is absent may be what matters. The requester chooses the
 * order, so where there are too many, the last one says that more follow.
 */
export function leavesOf(value: unknown, path = ""): Leaf[] {
  const leaves: Leaf[] = [];
  collect(value, path, leaves);
  if (leaves.length <= MOST) return leaves;
  return [
    ...leaves.slice(0, MOST),
    { path: "More values", value: "are left out here. Read the request, character for character." },
  ];
}

function collect(value: unknown, path: string, leaves: Leaf[]): void {
  if (leaves.length > MOST) return;
  if (Array.isArray(value)) {
    if (value.length === 0) leaves.push({ path, value: "none" });
    value.forEach((item, index) => {
      collect(item, value.length === 1 ? path : `${path} ${index + 1}`, leaves);
    });
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    if (entries.length === 0) leaves.push({ path, value: "none" });
    for (const [name, member] of entries) {
      collect(member, path === "" ? wordsOf(name) : `${path}, ${wordsOf(name, false)}`, leaves);
    }
  } else {
    leaves.push({ path, value: textOf(value) });
  }
}

function textOf(value: unknown): string {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === "" || value === null) return "none";
  // A text could turn around, or leave out for the eye, what is beside it.
  return seen(String(value));
}

/**
 * Whether a request signs bytes that nothing here reads. They can be a transaction, or what one is hashed to: then nobody who
 * approves sees what it does.
 */
export function isBlind(
  type: string,
  { encoding, payload, payloads, hashFunction }: Readonly<Record<string, unknown>>,
): boolean {
  if (!/^ACTIVITY_TYPE_SIGN_RAW_PAYLOADS?(_V\d+)?$/.test(type)) return false;
  if (encoding === "PAYLOAD_ENCODING_EIP712") return false;
  if (encoding !== "PAYLOAD_ENCODING_TEXT_UTF8") return true;
  const texts = Array.isArray(payloads) ? payloads : [payload];
  return texts.some((text) => isBlindText(text, hashFunction));
}

/** `signWith` as people say it: "Sign with". */
function wordsOf(name: string, isFirst = true): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replace(/\bid\b/g, "id")
    .replace(/\bapi\b/g, "API");
  return isFirst ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
