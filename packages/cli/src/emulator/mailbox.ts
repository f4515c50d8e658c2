import { onlyReadable, routeNotFound } from "@keyhearth/api/http/routes";
import { assertLocal } from "@keyhearth/api/mailbox/access";
import type { Mailbox } from "@keyhearth/api/mailbox/mailbox";
import type { ListMessages } from "@keyhearth/api/mailbox/messages";

/** `GET /mailbox/messages?to=`, without a token: programs on this machine may know all that is in an emulator. */
export function answerMessages(listMessages: ListMessages): Mailbox {
  return async (c) => {
    assertLocal(c);
    if (c.req.path !== "/mailbox/messages") throw routeNotFound(c.req.path);
    if (!["GET", "HEAD"].includes(c.req.method)) throw onlyReadable(c);
    const messages = await listMessages(c.req.query("to"));
    return c.json(messages, 200, { "Cache-Control": "no-store" });
  };
}
