import type { Random } from "../fuzz/random.ts";

// Other texts for a text: other bytes in the same spelling, the same bytes in another one, and damage.

const HEX = "0123456789abcdef";
const ODD = [
  "",
  " ",
  "\n",
  "\u0000",
  "=",
  "+",
  "/",
  "_",
  "-",
  "0x",
  "é",
  "\u{1f4a3}",
  "\u202e",
  "İ",
  ".",
  "'",
];
const NUMBERS = [
  "-0",
  "-1",
  "01",
  "1e999",
  "9".repeat(400),
  "0x",
  `0x${"f".repeat(65)}`,
  "1.5",
  "NaN",
];

/** Something that a decoder of this text could be given. */
export function spell(random: Random, text: string): string {
  const json = parse(text);
  if (json !== undefined && !random.oneIn(4)) {
    return JSON.stringify(changeSomewhere(random, json));
  }
  const parts = text.split(".");
  if (parts.length === 3 && !random.oneIn(4)) {
    const at = random.below(3);
    return parts.map((part, index) => (index === at ? spellBytes(random, part) : part)).join(".");
  }
  return spellBytes(random, text);
}

function spellBytes(random: Random, text: string): string {
  if (random.oneIn(4)) return damage(random, text);
  const bytes = changeBytes(random, decode(text));
  const hex = bytes.toString("hex");
  const base64 = bytes.toString("base64");
  const base64Url = bytes.toString("base64url");
  // As it was spelled, half of the time: other spellings are often refused before anything is decoded.
  if (!random.oneIn(2)) return isHex(text) ? hex : base64Url;
  return random.pick([
    hex,
    hex.toUpperCase(),
    `0x${hex}`,
    hex.slice(1),
    base64,
    base64Url,
    `${base64Url.slice(0, -1)}_`,
    `${base64Url}A`,
    bytes.toString("latin1"),
    // The bytes may be no UTF-8, and then characters take the place of others.
    bytes.toString("utf8"),
  ]);
}

/** The text with a few of its characters replaced, left out or repeated. */
function damage(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  return random.pick([
    text.slice(0, at) + random.pick(ODD) + text.slice(at),
    text.slice(0, at) + random.pick(ODD) + text.slice(at + 1),
    text.slice(0, at),
    text.slice(at) + text.slice(0, at),
    text.toUpperCase(),
    text.toLowerCase(),
    text + text,
    random.pick(ODD),
    random.pick(NUMBERS),
  ]);
}

function changeBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const flipped = Buffer.from(bytes);
  if (at < flipped.length) flipped[at] = random.below(256);
  return random.pick([
    bytes,
    flipped,
    bytes.subarray(0, at),
    Buffer.concat([bytes, random.bytes(1 + random.below(40))]),
    Buffer.alloc(bytes.length, random.pick([0, 1, 0x80, 0xff])),
    Buffer.from(random.bytes(bytes.length)),
  ]);
}

function changeSomewhere(random: Random, json: unknown): unknown {
  const members = typeof json === "object" && json !== null ? Object.keys(json) : [];
  if (members.length === 0 || random.oneIn(5)) {
    if (typeof json === "string" && !random.oneIn(3)) return spell(random, json);
    return random.pick<unknown>([
      null,
      true,
      1,
      -1,
      1.5,
      2 ** 60,
      "",
      [],
      {},
      [[[[]]]],
      ...NUMBERS,
    ]);
  }
  const chosen = random.pick(members);
  if (random.oneIn(8)) {
    return {
      ...(json as object),
      [random.pick(["", "__proto__", "$int", "x", chosen.repeat(99)])]: 1,
    };
  }
  if (Array.isArray(json)) {
    return json.map((each, i) => (String(i) === chosen ? changeSomewhere(random, each) : each));
  }
  return Object.fromEntries(
    Object.entries(json as object).map(([name, each]) => [
      name,
      name === chosen ? changeSomewhere(random, each) : each,
    ]),
  );
}

function decode(text: string): Buffer {
  if (isHex(text)) return Buffer.from(text.replace(/^0x/, ""), "hex");
  return /^[\w-]{8,}$/.test(text) ? Buffer.from(text, "base64url") : Buffer.from(text);
}

function isHex(text: string): boolean {
  return new RegExp(`^(0x)?([${HEX}]{2})+$`, "i").test(text);
}

/** Undefined unless it is JSON of an object or a list. */
function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
