import { SessionEnded } from "@keyhearth/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failed, Loading } from "../ui/states.tsx";

/** The states of a query. What was read before stays, with what went wrong above it. */
export function Loaded<Answer>({
  query,
  what,
  lines,
  children,
}: {
  query: UseQueryResult<Answer>;
  /** What is loaded, such as "wallets". */
  what: string;
  lines?: number;
  children: (answer: Answer) => ReactNode;
}) {
  // The login that comes over the screen says it, and then everything is read again.
  const isFailed = query.isError && !(query.error instanceof SessionEnded);
  if (query.data === undefined) {
    return isFailed ? (
      <Failed error={query.error} onRetry={() => query.refetch()} />
    ) : (
      <Loading {...{ what, lines }} />
    );
  }
  return (
    <>
      {isFailed && <Failed error={query.error} onRetry={() => query.refetch()} />}
      {children(query.data)}
    </>
  );
}
