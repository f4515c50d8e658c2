import type { SessionKeeper } from "@keyhearth/sdk/browser";
import type { Service } from "./service.ts";

/** What every way to log in is given. It starts a session with the keeper, and the page goes on. */
export type WayProps = {
  service: Service;
  keeper: SessionKeeper;
  /** The only organization that may be logged in to, when a session ended in the middle of something. */
  organizationId: string | undefined;
  /** In seconds. */
  expirationSeconds: number;
};
