import type { KitTexts } from "../texts.ts";

type Filled = { name: keyof KitTexts; values?: Record<string, string> };

/** One fact of a transaction: a value, or a text of the kit with values. */
export type FactLine = {
  label: keyof KitTexts;
  value?: string;
  text?: Filled;
  isMono?: boolean;
  isStrong?: boolean;
};

export type Warning = { text: keyof KitTexts; values?: Record<string, string> };

/** What a transaction says, in the order in which people need it. */
export type Read = { lines: FactLine[]; warnings: Warning[] };

/** An amount in the units that people count in. */
export function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

export function isKind(name: keyof KitTexts): FactLine {
  return { label: "kind", text: { name }, isStrong: true };
}
