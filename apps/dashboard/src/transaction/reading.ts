import type { SmartContractInterface } from "@keyhearth/sdk";

// What a transaction says, as every reader in this folder writes it.

export type Fact = {
  name: string;
  value: string;
  isMono?: boolean;
  isStrong?: boolean;
  /** Whether a decision hardly depends on it. A fee is paid too, and can be all that an account has. */
  isMinor?: boolean;
};

export type Reading = {
  /** What it does, in a few words. */
  title: string;
  facts: readonly Fact[];
  /** What people should know before they sign. */
  warnings: readonly string[];
  /** Whether something in it is not understood, so that people have to say that they know what it does. */
  isUnread: boolean;
  /** The labels of the interfaces that say what a call means. Its names are chosen by the user who uploads it. */
  readBy?: readonly string[];
};

/** The interface of a contract or a program that somebody of the organization uploaded. */
export type KnownInterface = Pick<
  SmartContractInterface,
  "smartContractAddress" | "smartContractInterface" | "label"
>;

/** What an interface says. The service checked it when it was uploaded, so what cannot be read is taken for none. */
export function parsed<Interface>(
  { smartContractInterface }: KnownInterface,
  parse: (json: string) => Interface,
): Interface | undefined {
  try {
    return parse(smartContractInterface);
  } catch {
    return undefined;
  }
}

/** An amount of the smallest unit as people write it. */
export function coins(amount: bigint, decimals: number, unit: string): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = BigInt(digits.slice(0, -decimals)).toLocaleString("en");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return `${whole}${fraction === "" ? "" : `.${fraction}`} ${unit}`;
}

/** Tokens have their own decimals, which no transaction names. */
export function tokens(amount: bigint): string {
  return `${amount.toLocaleString("en")} of the token’s smallest unit`;
}
