import { bodies } from "./actors/bodies.ts";
import { largeRequests } from "./actors/large-requests.ts";
import { lists } from "./actors/lists.ts";
import { messages } from "./actors/messages.ts";
import { pipelines } from "./actors/pipelines.ts";
import { policies } from "./actors/policies.ts";
import { receipts } from "./actors/receipts.ts";
import { signups } from "./actors/signups.ts";
import { strangers } from "./actors/strangers.ts";
import type { Actor } from "./attack.ts";

export type Row = {
  name: string;
  who: string;
  what: string;
  actor: Actor;
  /** It asks as fast as it is answered, so beside the others it takes what they would. */
  isApart?: boolean;
};

const user = "one end user's key";

/** All that attacks. Each has a process of its own. */
export const rows: Row[] = [
  { name: "lists", who: user, what: "pages of the largest activities, most unread", actor: lists },
  { name: "policies", who: user, what: "nested loops over a hundred policies", actor: policies },
  { name: "receipts", who: user, what: "receipts over large records", actor: receipts },
  {
    name: "large-requests",
    who: user,
    what: "requests of a megabyte, for ten webhook endpoints",
    actor: largeRequests,
  },
  { name: "pipelines", who: "anybody", what: "up to 3 MB of GETs at once", actor: pipelines },
  { name: "bodies", who: "anybody", what: "bodies in bytes, or stalled", actor: bodies },
  { name: "signups", who: "anybody", what: "forged signups", actor: signups },
  {
    name: "strangers",
    who: "anybody",
    what: "queries with unknown keys",
    actor: strangers,
    isApart: true,
  },
  { name: "messages", who: "a tenant", what: "mail to one person, SMS to many", actor: messages },
];

/** What attacks at once. */
export const together = rows.filter(({ isApart }) => !isApart);

export function findRow(name: string): Row {
  const row = rows.find((each) => each.name === name);
  if (row) return row;
  const names = rows.map((each) => each.name).join(", ");
  throw new Error(`there is no row \`${name}\`; there are ${names}`);
}
