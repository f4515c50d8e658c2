import { recordRefused } from "../errors.ts";
import { isOfType } from "../records/kinds.ts";
import type { Core } from "./core.ts";
import type { Answer, Request } from "./protocol.ts";
import { type Mark, markOf } from "./tickets.ts";

type Confirm = Extract<Request, { call: "confirm" }>;

/**
 * The host says that it has committed a proposal. Nothing else moves a mark of a document. The core
 * cannot see commits: a host that confirms what it did not commit has to serve it from then on.
 */
export function confirm(core: Core, request: Confirm): Answer {
  const committed =
    "ticket" in request
      ? core.tickets.close(request.ticket)
      : request.attachments.map((bytes) => readMark(core, bytes));
  core.marks.move(committed);
  return { kind: "confirmed" };
}

function readMark(core: Core, bytes: Uint8Array): Mark {
  const record = core.held.add(bytes);
  if (!isOfType("organization")(record)) throw recordRefused("only documents are confirmed");
  return markOf(record, record.body);
}
