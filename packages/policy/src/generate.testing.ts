import fc from "fast-check";
import { caseInsensitive, type Input } from "./environment.ts";
import { PolicyError } from "./errors.ts";
import { type Compiled, compile } from "./evaluate.ts";

/** Policies as text that mostly type-check, and requests that mostly have what they read. */

const ADDRESSES = [
  "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  "0x1111111111111111111111111111111111111111",
  "",
];
const WORDS = [
  ...["", "a", "A", "b", "B", "ab", "aB", "K", "k", "0x", "0XA", "0xa", "0xA9", "0xa9", "0XA0B"],
  ...["0", "1", "10", "01", "-1", "\u{1f511}k", "İ", "\u212a", "\\", "é'"],
];
const NUMBERS = [
  0n,
  1n,
  2n,
  3n,
  10n,
  2n ** 53n,
  2n ** 64n,
  2n ** 127n - 1n,
  2n ** 127n,
  2n ** 255n,
  2n ** 256n - 1n,
];

const word = fc.constantFrom(...WORDS);
const address = fc.constantFrom(...ADDRESSES);
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.bigInt(0n, 5n));
const small = fc.bigInt(-1n, 5n);

function quoted(text: string) {
  return `'${text.replaceAll("'", "")}'`;
}

/** Pieces of text by type, built up from what is smaller. `x` is bound inside predicates only. */
export const expression: fc.Arbitrary<string> = fc.letrec<Record<string, string>>((tie) => {
  const bool = tie("bool");
  const num = tie("num");
  const str = tie("str");
  const any = tie("dynamic");
  const strings = tie("strings");
  const numbers = tie("numbers");
  const index = small.map(String);
  const join = (separator: string, ...parts: fc.Arbitrary<string>[]) =>
    fc.tuple(...parts).map((texts) => texts.join(separator));
  const form = (template: string, ...parts: fc.Arbitrary<string>[]) =>
    fc
      .tuple(...parts)
      .map((texts) => template.replace(/\$(\d)/g, (_, i) => texts[Number(i)] ?? ""));
  const order = fc.constantFrom("<", ">", "<=", ">=", "==", "!=");
  const same = fc.constantFrom("==", "!=");
  const quantifier = fc.constantFrom("all", "any");
  const stringTest = fc.oneof(
    form("x $0 $1", same, str),
    form("x in $0", strings),
    form("x[$0] == $1", index, str),
    bool,
  );
  const numberTest = fc.oneof(form("x $0 $1", order, num), form("x in $0", numbers), bool);
  const element = fc.oneof(
    form("x $0 $1", order, num),
    form("x $0 $1", same, str),
    form("x[$0] $1 $2", index, same, any),
    form("x['$0'] $1 $2", fc.constantFrom("token", "amount"), same, fc.oneof(str, num)),
    form("x.count() $0 $1", order, num),
    form("x.any(y, y $0 $1)", same, fc.oneof(str, num)),
  );
  return {
    bool: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom("true", "false", "wallet.imported"),
      form("$0 $1 $2", num, order, num),
      form("$0 $1 $2", str, same, str),
      form("$0 $1 $2", any, same, fc.oneof(str, num, any)),
      form("($0 $1 $2)", any, order, num),
      form("($0) && ($1)", bool, bool),
      form("($0) || ($1)", bool, bool),
      form("$0 && $1 && $2", tie("atom"), tie("atom"), tie("atom")),
      form("!($0)", bool),
      form("$0 in $1", str, strings),
      form("$0 in $1", num, numbers),
      form("$0 in $1", fc.oneof(str, num), any),
      form("$0.contains($1)", strings, str),
      form("$0.contains($1)", numbers, num),
      form("'a' in $0", any),
      form("$0.contains('AB')", any),
      form("eth.tx.to[$0..$1] $2 $3", index, index, same, word.map(quoted)),
      form("$0.$1(x, $2)", strings, quantifier, stringTest),
      form("$0.$1(x, $2)", numbers, quantifier, numberTest),
      form("$0.$1(x, $2)", any, quantifier, element),
      form("wallets.$0(w, w.id $1 $2)", quantifier, same, str),
      form("wallets.$0(w, $1.$0(x, x $2 w.label))", quantifier, strings, same),
      form("($0) $1 ($2)", bool, same, bool),
      form("[$0, $1].any(b, b)", bool, bool),
    ),
    atom: fc.oneof(form("$0 $1 $2", num, order, num), form("$0 $1 $2", str, same, str)),
    num: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      number.map(String),
      small.map(String),
      fc.constantFrom("eth.tx.value", "eth.tx.nonce", "eth.eip_712.domain.chain_id"),
      form("$0.count()", strings),
      form("$0.count", numbers),
      form("$0[$1]", numbers, index),
      form("{ a: $0, b: $1 }.a", num, bool),
    ),
    str: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      word.map(quoted),
      address.map(quoted),
      fc.constantFrom("eth.tx.to", "eth.tx.data", "wallet.id", "wallet.label", "activity.type"),
      form("$0[$1..$2]", str, index, index),
      form("$0[$1]", str, index),
      form("$0[$1]", strings, index),
      form("CaseInsensitiveString($0)", str),
      form("secret.static_properties[$0]", fc.oneof(word.map(quoted), fc.constant("'__proto__'"))),
    ),
    strings: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.array(str, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.constant("private_key.tags"),
      form("$0[$1..$2]", strings, index, index),
      form("$0.filter(x, $1)", strings, stringTest),
    ),
    numbers: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.array(num, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.constant("wallet_account.path_indexes"),
      form("$0[$1..$2]", numbers, index, index),
      form("$0.filter(x, $1)", numbers, numberTest),
    ),
    dynamic: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      form("eth.tx.contract_call_args['$0']", fc.constantFrom("dst", "calls", "wad", "none")),
      form("eth.eip_712.message['$0']", fc.constantFrom("permitted", "label", "toString")),
      form("activity.params.$0", fc.constantFrom("ids", "flag", "inner", "constructor")),
      form("$0[$1]", any, index),
      form("$0['$1']", any, fc.constantFrom("token", "amount")),
      form("$0.$1", any, fc.constantFrom("count", "a")),
      join("", any, fc.constant("[0..1]")),
    ),
  };
}).bool as fc.Arbitrary<string>;

const dynamicLeaf: fc.Arbitrary<Input> = fc.oneof(
  word,
  address,
  number,
  fc.boolean(),
  word.map(caseInsensitive),
  fc.constantFrom<Input>(null, 1.5, -5n, 2n ** 256n),
);
const dynamicValue: fc.Arbitrary<Input> = fc.oneof(
  { maxDepth: 3 },
  dynamicLeaf,
  // Lists in which one element decides and another cannot be compared.
  fc.constantFrom<Input>(["a", 1n], [1n, "a"], [caseInsensitive("aB"), true], [["a"], "a"]),
  fc.array(dynamicLeaf, { maxLength: 3 }),
  fc.array(fc.record({ token: dynamicLeaf, amount: number }, { requiredKeys: [] }), {
    maxLength: 3,
  }),
  fc.array(fc.array(dynamicLeaf, { maxLength: 3 }), { maxLength: 2 }),
);

const wallet = fc.record(
  { id: word, imported: fc.boolean(), exported: fc.boolean(), label: word },
  { requiredKeys: ["id"] },
);

export const roots: fc.Arbitrary<Record<string, Input>> = fc.record(
  {
    activity: fc.record(
      {
        type: fc.constantFrom("a", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"),
        resource: word,
        action: word,
        params: fc.record(
          {
            ids: dynamicValue,
            flag: dynamicLeaf,
            inner: fc.record({ a: dynamicLeaf, count: number }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ["type"] },
    ),
    wallet,
    wallets: fc.array(wallet, { maxLength: 3 }),
    private_key: fc.record({ id: word, tags: fc.array(word, { maxLength: 3 }) }),
    wallet_account: fc.record({ address, path_indexes: fc.array(fc.nat(50), { maxLength: 4 }) }),
    secret: fc.record({ static_properties: fc.dictionary(word, word, { maxKeys: 3 }) }),
    eth: fc.record(
      {
        tx: fc.record(
          {
            to: address,
            data: fc.constantFrom("0x", "0xa9059cbb", "0xA9059CBB00"),
            value: number,
            nonce: fc.nat(5),
            contract_call_args: fc.record(
              { dst: address, calls: dynamicValue, wad: number },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: ["to", "data", "value"] },
        ),
        eip_712: fc.record({
          domain: fc.record({ chain_id: fc.nat(3) }),
          message: fc.record({ permitted: dynamicValue, label: dynamicLeaf }, { requiredKeys: [] }),
        }),
      },
      { requiredKeys: ["tx"] },
    ),
  },
  { requiredKeys: ["activity", "eth", "wallet"] },
);

/** Undefined if the generated text is not a condition. */
export function tryCompile(source: string): Compiled | undefined {
  try {
    return compile("condition", source);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
