import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { seen } from "../ui/seen.ts";
import { Loading, Notice } from "../ui/states.tsx";
import { ReadingFacts } from "./facts.tsx";
import { useReader } from "./interfaces.ts";

export type TransactionBytes = { type: string; unsigned: string; signWith?: string };

/** The transaction that the parameters of a request have. */
export function transactionIn(
  parameters: Readonly<Record<string, unknown>>,
): TransactionBytes | undefined {
  const { unsignedTransaction: unsigned, type, signWith } = parameters;
  if (typeof unsigned !== "string" || typeof type !== "string") return undefined;
  return { unsigned, type, ...(typeof signWith === "string" && { signWith }) };
}

/** A transaction before it is signed, decoded in this browser. What decodes it is loaded when there is one. */
export function Transaction({
  type,
  unsigned,
  signWith,
  isBrief = false,
}: TransactionBytes & {
  /** Only what matters most. */
  isBrief?: boolean;
}) {
  const read = useReader();
  const reading = useQuery({
    queryKey: ["read", type, unsigned, signWith],
    queryFn: async () => {
      const { bytesOfRequest } = await import("./read.ts");
      return read({ type, bytes: bytesOfRequest(unsigned), signWith });
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (reading.isPending) return <Loading what="the transaction" lines={3} />;
  if (reading.isError) {
    return (
      <Notice tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
        The transaction cannot be read: {seen(reading.error.message)}. Approve it only if you know
        what it does.
      </Notice>
    );
  }
  const { title, warnings } = reading.data;
  return (
    <div className="stack-small">
      <p>{seen(title)}</p>
      {warnings.map((text) => (
        <Notice key={text} tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          {seen(text)}
        </Notice>
      ))}
      <ReadingFacts reading={reading.data} {...{ isBrief }} />
    </div>
  );
}
