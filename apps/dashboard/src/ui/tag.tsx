import type { ReactNode } from "react";

export type Tone = "neutral" | "good" | "warning" | "danger" | "accent";

/** A word about something, such as its state. The colour never says anything alone. */
export function Tag({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`tag tag-${tone}`}>{children}</span>;
}
