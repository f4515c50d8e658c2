import { isUuid } from "@keyhearth/engine/fields/schemas";
import { parsePrivateTarget } from "@keyhearth/outbound/private-targets";
import { type Environment, given, refused } from "./variables.ts";

/** A target that webhooks may reach although it is private, as `parsePrivateTarget` reads it. */
export type PrivateReceiver = {
  target: string;
  /** The top-level organization that may send there with its sub-organizations. Null for all organizations. */
  familyId: string | null;
};

const NAME = "KEYHEARTH_WEBHOOK_PRIVATE_TARGETS";

export function readPrivateReceivers(env: Environment): PrivateReceiver[] {
  const entries = given(env, NAME)?.split(",") ?? [];
  return entries.map((entry) => {
    const text = entry.trim();
    const [target = "", id, ...others] = text.split("=");
    const familyId = id?.toLowerCase() ?? null;
    const isFamily = familyId === null || isUuid(familyId);
    if (!parsePrivateTarget(target) || !isFamily || others.length > 0) throw refused(NAME, text);
    return { target, familyId };
  });
}

/** Warnings for an installation where strangers may create organizations. */
export function openedToStrangers(receivers: readonly PrivateReceiver[]): string[] {
  const opened = receivers.filter(({ familyId }) => familyId === null);
  return opened.map(
    ({ target }) =>
      `KEYHEARTH_SIGNUP is open, so anyone can have events sent to ${target} of ${NAME}; add = and the id of the top-level organization that may`,
  );
}
