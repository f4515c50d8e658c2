// The comments of the generated files. They run only at build time, like `generate.ts`.

/** What a schema says about a value besides its type. */
export type Constraints = {
  $ref?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  anyOf?: Constraints[];
  items?: Constraints | boolean;
};

const controls = "\\u0000-\\u001f\\u007f-\\u009f";
const directions = "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** What a pattern means, and how to see that a description says it already. */
const patterns: { pattern: RegExp; words: string; said: RegExp }[] = [
  // Both forms of the pattern for UUIDs.
  { pattern: /^\^\[0-9a-f\]\{8\}(-|\(-).*\{12\}\$$/, words: "A UUID.", said: /\buuid/i },
  { pattern: /@/, words: "An email address.", said: /email/i },
  { pattern: /^(\^\$\|)?\^\\\+\[1-9\]/, words: "In E.164 form.", said: /E\.164/ },
  { pattern: /^\^\[A-Za-z0-9_-\](\+|\{43\})\$$/, words: "In base64url.", said: /base64url/i },
  { pattern: /^\^0\[23\]/, words: "Compressed: 66 characters.", said: /compressed/i },
  { pattern: /^\^\(?(\[0-9a-fA-F\]|04)/, words: "In hex.", said: /\bhex\b/i },
  { pattern: /^\^sha256:/, words: "`sha256:` and 64 hex digits.", said: /sha256:/ },
  { pattern: /^\^(\[1-9\]|\(0\|\[1-9\])\\d/, words: "A decimal string.", said: /decimal string/ },
  {
    pattern: literal(`^[^${controls}${directions}]*$`),
    words: "No control or bidirectional characters.",
    said: /control/,
  },
  {
    pattern: /^\^\[\^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f/,
    words: "No control characters except tabs and line breaks.",
    said: /control/,
  },
  {
    pattern: /^\^\[\\x21-\\x7e\][+*]\$$/,
    words: "Visible ASCII characters.",
    said: /ASCII/,
  },
  { pattern: literal("^([0-9a-f]{2})+$"), words: "In lower-case hex.", said: /\bhex\b/ },
  {
    pattern: literal("^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"),
    words: "Up to 64 letters, digits, `_` and `-`, the first one a letter or a digit.",
    said: /letters/,
  },
];

/** The description of a value, with what its schema asks for and the description leaves out. */
export function describeValue(schema: Constraints): string {
  const { description = "" } = schema;
  const sentence = /[\w`)]$/.test(description) ? `${description}.` : description;
  return [sentence, ...remarksOf(schema, description)].filter(Boolean).join(" ");
}

function remarksOf(schema: Constraints, description: string): string[] {
  // What is true of one alternative, such as a number besides a string of digits, is what people need.
  const facts: Constraints = Object.assign({}, ...(schema.anyOf ?? []), schema);
  const remarks: string[] = [];
  const item = typeof facts.items === "object" && !facts.items.$ref ? facts.items : undefined;
  const isOfUuids = item?.pattern !== undefined && wordsOf(item.pattern, "") === "A UUID.";
  const addRange = (least: number | undefined, most: number | undefined, noun: string) => {
    const remark = rangeOf(least, most, noun);
    const isSaid = remark === notEmpty && /empty/i.test(description);
    if (remark && !isSaid && !saysLimit(description, most ?? least)) remarks.push(remark);
  };
  addRange(facts.minItems, facts.maxItems, isOfUuids ? " UUIDs" : " entries");
  addRange(facts.minLength, facts.maxLength, " characters");
  addRange(facts.minimum, facts.maximum, "");
  if (facts.pattern !== undefined) remarks.push(wordsOf(facts.pattern, description));
  if (item && !isOfUuids) remarks.push(remarkOnItems(remarksOf(item, description)));
  if ("default" in facts && !/\bdefault\b/i.test(description)) {
    remarks.push(`Default: ${facts.default === "" ? "empty" : JSON.stringify(facts.default)}.`);
  }
  return remarks;
}

function remarkOnItems(remarks: string[]): string {
  const parts = remarks
    .filter(Boolean)
    .map((text) => text.charAt(0).toLowerCase() + text.slice(1, -1));
  return parts.length > 0 ? `Each: ${parts.join(", ")}.` : "";
}

/** What a pattern means, or nothing if the description says it. */
function wordsOf(pattern: string, description: string): string {
  const known = patterns.find((each) => each.pattern.test(pattern));
  if (!known) return `Matches \`${pattern}\`.`;
  return known.said.test(description) ? "" : known.words;
}

const notEmpty = "Not empty.";

function rangeOf(least: number | undefined, most: number | undefined, noun: string): string {
  const counted = (count: number) => count.toLocaleString("en-US") + noun;
  if (most === undefined) {
    if (least === 1 && noun) return notEmpty;
    return least === undefined ? "" : `At least ${counted(least)}.`;
  }
  return least
    ? `${least.toLocaleString("en-US")} to ${counted(most)}.`
    : `Up to ${counted(most)}.`;
}

function saysLimit(description: string, limit: number | undefined): boolean {
  if (limit === undefined || /\bat most\b/i.test(description)) return limit !== undefined;
  const forms = [String(limit), limit.toLocaleString("en-US")];
  return forms.some((form) => new RegExp(`(?<![\\d,])${form}(?![\\d,]*\\d)`).test(description));
}

function literal(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`);
}

/**
 * A comment, with its paragraphs wrapped at 100 columns, but not its tags. The text is from a schema, and must not be able
 * to end the comment around it.
 */
export function comment(text: string | undefined, indent: string): string {
  if (!text) return "";
  const safe = text.replaceAll("*/", "*\\/");
  const single = `${indent}/** ${safe} */`;
  if (single.length <= 100 && !safe.includes("\n")) return `${single}\n`;
  const lines = safe
    .split("\n")
    .flatMap((line) => (line.startsWith("@") ? [line] : wrap(line, 97 - indent.length)));
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n");
  return `${indent}/**\n${body}\n${indent} */\n`;
}

function wrap(paragraph: string, width: number): string[] {
  const lines = [""];
  for (const word of paragraph.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
