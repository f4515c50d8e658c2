import { equalBytes } from "../encoding/bytes.ts";

// The scripts of outputs, as far as a signer has to understand them.

/** The outputs that have an address of their own form. */
export type ScriptForm = "P2PKH" | "P2SH" | "P2WPKH" | "P2WSH" | "P2TR";

/** What an output pays to: the hash of a key or of a script, or the Taproot output key. */
export type PaidTo = { readonly form: ScriptForm; readonly program: Uint8Array };

const FORMS: readonly { form: ScriptForm; before: readonly number[]; after: readonly number[] }[] =
  [
    { form: "P2PKH", before: [0x76, 0xa9, 20], after: [0x88, 0xac] },
    { form: "P2SH", before: [0xa9, 20], after: [0x87] },
    { form: "P2WPKH", before: [0, 20], after: [] },
    { form: "P2WSH", before: [0, 32], after: [] },
    { form: "P2TR", before: [0x51, 32], after: [] },
  ];

/** Null if the output has none of these forms. */
export function paidTo(script: Uint8Array): PaidTo | null {
  for (const { form, before, after } of FORMS) {
    const end = before.length + (before.at(-1) ?? 0);
    const isForm =
      script.length === end + after.length &&
      before.every((byte, i) => script[i] === byte) &&
      after.every((byte, i) => script[end + i] === byte);
    if (isForm) return { form, program: script.subarray(before.length, end) };
  }
  return null;
}

/** The script that a P2WPKH signature commits to, which is that of P2PKH. */
export function p2pkhScript(keyHash: Uint8Array): Uint8Array {
  return Uint8Array.of(0x76, 0xa9, 20, ...keyHash, 0x88, 0xac);
}

/** What a script pushes, and whether it changes the bytes that later signatures commit to. */
export type ReadScript = {
  readonly pushes: readonly Uint8Array[];
  readonly hasCodeSeparator: boolean;
};

/** Null if the script ends inside a push. */
export function readScript(script: Uint8Array): ReadScript | null {
  const pushes: Uint8Array[] = [];
  let hasCodeSeparator = false;
  for (let i = 0; i < script.length; ) {
    const opcode = script[i++] as number; // within the length
    if (opcode === OP_CODESEPARATOR) hasCodeSeparator = true;
    if (opcode === 0 || opcode > OP_PUSHDATA4) continue;
    let length = opcode;
    if (opcode >= OP_PUSHDATA1) {
      const width = 1 << (opcode - OP_PUSHDATA1);
      if (i + width > script.length) return null;
      length = 0;
      for (let j = width - 1; j >= 0; j--) length = length * 256 + (script[i + j] as number); // within
      i += width;
    }
    if (i + length > script.length) return null;
    pushes.push(script.subarray(i, i + length));
    i += length;
  }
  return { pushes, hasCodeSeparator };
}

export function pushesAny({ pushes }: ReadScript, ...values: Uint8Array[]): boolean {
  return pushes.some((push) => values.some((value) => equalBytes(push, value)));
}

const OP_PUSHDATA1 = 76;
const OP_PUSHDATA4 = 78;
const OP_CODESEPARATOR = 0xab;
