import type { ReactNode } from "react";
import { Facts } from "../ui/page.tsx";
import { seen } from "../ui/seen.ts";
import type { Fact, Reading } from "./reading.ts";
import "./transaction.css";

/** What a transaction says. Its texts may be another's: they are shown as text, with what nobody would see in them. */
export function ReadingFacts({
  reading,
  isBrief = false,
}: {
  reading: Reading;
  isBrief?: boolean;
}) {
  const { facts, readBy = [] } = reading;
  const shown = facts.filter(({ isMinor }) => !isBrief || isMinor !== true);
  return (
    <Facts
      facts={[
        ...shown.map(numbered),
        ...readBy.map(
          (label) => [`Read by “${seen(label)}”`, "an interface of your organization"] as const,
        ),
      ]}
    />
  );
}

/** Two payments have the same names, so the later ones have their number too. */
function numbered(
  { name, value, isMono, isStrong }: Fact,
  index: number,
  facts: readonly Fact[],
): readonly [name: string, value: ReactNode] {
  const earlier = facts.slice(0, index).filter((fact) => fact.name === name).length;
  const text = seen(value);
  const content = isStrong ? (
    <strong>{text}</strong>
  ) : (
    <span className={`reading-value${isMono ? " mono" : ""}`}>{text}</span>
  );
  return [seen(earlier === 0 ? name : `${name} (${earlier + 1})`), content];
}
