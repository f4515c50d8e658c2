/** What the BIPs require of a field of a map. */
export type Shape = {
  readonly name: string;
  /** The lengths that the data after the type in the key may have. */
  readonly keyData: readonly number[];
  /** The lengths that the value may have. */
  readonly value?: readonly number[];
  /** The only version of PSBT that has the field. */
  readonly only?: 0 | 2;
  /** The version that requires it. */
  readonly required?: 0 | 2;
};

export type Shapes = ReadonlyMap<number, Shape>;

const NONE = [0];
const PUBLIC_KEY = [33, 65];
/** Without and with a byte for the sighash type. */
const SCHNORR = [64, 65];
/** The leaf's version and parity, the internal key, and up to 128 hashes. */
const CONTROL_BLOCK = Array.from({ length: 129 }, (_, hashes) => 33 + 32 * hashes);

/** BIP-174 and BIP-370. */
export const globalFields: Shapes = new Map<number, Shape>([
  [0x00, { name: "PSBT_GLOBAL_UNSIGNED_TX", keyData: NONE, only: 0, required: 0 }],
  [0x01, { name: "PSBT_GLOBAL_XPUB", keyData: [78] }],
  [0x02, { name: "PSBT_GLOBAL_TX_VERSION", keyData: NONE, value: [4], only: 2, required: 2 }],
  [0x03, { name: "PSBT_GLOBAL_FALLBACK_LOCKTIME", keyData: NONE, value: [4], only: 2 }],
  [0x04, { name: "PSBT_GLOBAL_INPUT_COUNT", keyData: NONE, only: 2, required: 2 }],
  [0x05, { name: "PSBT_GLOBAL_OUTPUT_COUNT", keyData: NONE, only: 2, required: 2 }],
  [0x06, { name: "PSBT_GLOBAL_TX_MODIFIABLE", keyData: NONE, value: [1], only: 2 }],
  [0xfb, { name: "PSBT_GLOBAL_VERSION", keyData: NONE, value: [4] }],
]);

/** BIP-174, BIP-370 and BIP-371. */
export const inputFields: Shapes = new Map<number, Shape>([
  [0x00, { name: "PSBT_IN_NON_WITNESS_UTXO", keyData: NONE }],
  [0x01, { name: "PSBT_IN_WITNESS_UTXO", keyData: NONE }],
  [0x02, { name: "PSBT_IN_PARTIAL_SIG", keyData: PUBLIC_KEY }],
  [0x03, { name: "PSBT_IN_SIGHASH_TYPE", keyData: NONE, value: [4] }],
  [0x04, { name: "PSBT_IN_REDEEM_SCRIPT", keyData: NONE }],
  [0x05, { name: "PSBT_IN_WITNESS_SCRIPT", keyData: NONE }],
  [0x06, { name: "PSBT_IN_BIP32_DERIVATION", keyData: PUBLIC_KEY }],
  [0x07, { name: "PSBT_IN_FINAL_SCRIPTSIG", keyData: NONE }],
  [0x08, { name: "PSBT_IN_FINAL_SCRIPTWITNESS", keyData: NONE }],
  [0x0a, { name: "PSBT_IN_RIPEMD160", keyData: [20] }],
  [0x0b, { name: "PSBT_IN_SHA256", keyData: [32] }],
  [0x0c, { name: "PSBT_IN_HASH160", keyData: [20] }],
  [0x0d, { name: "PSBT_IN_HASH256", keyData: [32] }],
  [0x0e, { name: "PSBT_IN_PREVIOUS_TXID", keyData: NONE, value: [32], only: 2, required: 2 }],
  [0x0f, { name: "PSBT_IN_OUTPUT_INDEX", keyData: NONE, value: [4], only: 2, required: 2 }],
  [0x10, { name: "PSBT_IN_SEQUENCE", keyData: NONE, value: [4], only: 2 }],
  [0x11, { name: "PSBT_IN_REQUIRED_TIME_LOCKTIME", keyData: NONE, value: [4], only: 2 }],
  [0x12, { name: "PSBT_IN_REQUIRED_HEIGHT_LOCKTIME", keyData: NONE, value: [4], only: 2 }],
  [0x13, { name: "PSBT_IN_TAP_KEY_SIG", keyData: NONE, value: SCHNORR }],
  [0x14, { name: "PSBT_IN_TAP_SCRIPT_SIG", keyData: [64], value: SCHNORR }],
  [0x15, { name: "PSBT_IN_TAP_LEAF_SCRIPT", keyData: CONTROL_BLOCK }],
  [0x16, { name: "PSBT_IN_TAP_BIP32_DERIVATION", keyData: [32] }],
  [0x17, { name: "PSBT_IN_TAP_INTERNAL_KEY", keyData: NONE, value: [32] }],
  [0x18, { name: "PSBT_IN_TAP_MERKLE_ROOT", keyData: NONE, value: [32] }],
]);

/** BIP-174, BIP-370 and BIP-371. */
export const outputFields: Shapes = new Map<number, Shape>([
  [0x00, { name: "PSBT_OUT_REDEEM_SCRIPT", keyData: NONE }],
  [0x01, { name: "PSBT_OUT_WITNESS_SCRIPT", keyData: NONE }],
  [0x02, { name: "PSBT_OUT_BIP32_DERIVATION", keyData: PUBLIC_KEY }],
  [0x03, { name: "PSBT_OUT_AMOUNT", keyData: NONE, value: [8], only: 2, required: 2 }],
  [0x04, { name: "PSBT_OUT_SCRIPT", keyData: NONE, only: 2, required: 2 }],
  [0x05, { name: "PSBT_OUT_TAP_INTERNAL_KEY", keyData: NONE, value: [32] }],
  [0x06, { name: "PSBT_OUT_TAP_TREE", keyData: NONE }],
  [0x07, { name: "PSBT_OUT_TAP_BIP32_DERIVATION", keyData: [32] }],
]);
