import { type Connection, type Pagination, SessionEnded } from "@keyhearth/sdk";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCurrent } from "../session/current.tsx";
import type { Pages } from "../ui/pager.tsx";

type ReadOptions = {
  /** Reads again after so many milliseconds, while the page is visible. */
  everyMs?: number;
  isEnabled?: boolean;
  /** A sub-organization, if it is not the organization of the session. */
  organizationId?: string;
};

/** What a query of the SDK takes and answers. */
type Call<Parameters extends object, Answer> = (
  connection: Connection,
  parameters: Parameters,
  options?: { organizationId?: string; signal?: AbortSignal },
) => Promise<Answer>;

/** Their screens check what they show, so no pinned key has to: `session/unpinned.ts`. */
const checkedByScreens: ReadonlySet<string> = new Set([
  "get_activity",
  "get_organization",
  "get_private_key",
  "list_activities",
  "list_private_keys",
]);

/** The key of a query: whose, which, and what it asked for. */
export function keyOf(organizationId: string, name: string, parameters: object = {}) {
  return ["api", organizationId, name, parameters] as const;
}

/**
 * Asks the service, and keeps the answer for every screen that asks the same. `name` is the query's name in the API: after a
 * submission, `useSubmit` has all of them read again.
 */
export function useRead<Parameters extends object, Answer>(
  name: string,
  call: Call<Parameters, Answer>,
  parameters: NoInfer<Parameters>,
  { everyMs, isEnabled = true, organizationId: at }: ReadOptions = {},
) {
  const { connection, unpinned, session } = useCurrent();
  const asked = checkedByScreens.has(name) ? unpinned : connection;
  const organizationId = at ?? session.organizationId;
  return useQuery({
    queryKey: keyOf(organizationId, name, parameters),
    queryFn: ({ signal }) => call(asked, parameters, { organizationId, signal }),
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      state.error instanceof SessionEnded ? false : (everyMs ?? false),
    placeholderData: keepPreviousData,
  });
}

type PagesOptions<Answer> = ReadOptions & {
  /** From 1 to 100. */
  limit?: number;
  /** The objects of a page. The last one's id names the next page. */
  idsOf: (answer: Answer) => readonly string[];
  /** Whether the list begins with the newest, as activities do. Most begin with the oldest. */
  isNewestFirst?: boolean;
};

/** The pages of a list, one at a time. Changed parameters begin at the first page. */
export function usePages<Parameters extends object, Answer>(
  name: string,
  call: Call<Parameters & { paginationOptions?: Pagination }, Answer>,
  parameters: NoInfer<Parameters>,
  { limit = 50, idsOf, isNewestFirst = false, ...options }: PagesOptions<Answer>,
) {
  const asked = JSON.stringify(parameters);
  const [place, setPlace] = useState<{ asked: string; cursors: string[] }>({ asked, cursors: [] });
  const cursors = place.asked === asked ? place.cursors : [];
  const cursor = cursors.at(-1);
  const paginationOptions = {
    limit: String(limit),
    ...(cursor !== undefined && (isNewestFirst ? { before: cursor } : { after: cursor })),
  };
  const query = useRead(name, call, { ...parameters, paginationOptions }, options);
  const ids = query.data === undefined ? [] : idsOf(query.data);
  const last = ids.at(-1);
  const pages: Pages = {
    number: cursors.length + 1,
    hasNext: ids.length === limit,
    isBusy: query.isPlaceholderData,
    next: () => {
      if (last !== undefined) setPlace({ asked, cursors: [...cursors, last] });
    },
    previous: () => setPlace({ asked, cursors: cursors.slice(0, -1) }),
  };
  return { query, pages };
}
