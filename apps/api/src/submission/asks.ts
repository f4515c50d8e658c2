import { setTimeout as rest } from "node:timers/promises";
import { ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import type { Identity } from "@keyhearth/engine/records/organization";
import { CompiledQuery } from "kysely";
import type { SignerTurn } from "../fairness/proxy-turn.ts";
import type { Host } from "../host/host.ts";
import type { Asks, SentDocument } from "../reader/messages.ts";
import { findDescription } from "../signer/description.ts";
import { familyIdOf, type StoredDocument } from "../store/organizations.ts";
import { withResult } from "./confirm.ts";

/**
 * The embedded database does one thing at a time, and a page of large records takes it for ten milliseconds.
 * An answer leaves it to the others for as long as it had it, so that most of their statements need not wait.
 */
const LONG_MS = 3;
const MAX_REST_MS = 100;

/** What answers need besides the database: of the signer, and of this process. */
export function asksOf(host: Host, stored: StoredDocument): Asks {
  const { organizationId } = stored;
  const turn = { organizationId, familyId: familyIdOf(stored.document) };
  const { store } = host;
  return {
    async read(text, parameters) {
      const startedAt = performance.now();
      const { rows } = await store.db.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(text, parameters),
      );
      const tookMs = performance.now() - startedAt;
      if (store.kind === "pglite" && tookMs >= LONG_MS) await rest(Math.min(tookMs, MAX_REST_MS));
      return rows;
    },
    withResult: (activity, bytes) => withResult(host, activity, bytes, stored),
    receiptKey: async () => (await findDescription(host.askSigner)).receiptKey,
    identityOf: (oidcToken) => findIdentity(host, turn, oidcToken),
    shownPending: async (activityId) => host.pending.find(stored.organizationId, activityId),
    warn: async (details, message) => host.log.warn(details, message),
  };
}

/** A document as the reader gets it. It parses it again, or has it. */
export function sent({ organizationId, version, digest, bytes }: StoredDocument): SentDocument {
  return { organizationId, version, digest, bytes };
}

export async function findIdentity(
  host: Host,
  { organizationId, familyId }: SignerTurn,
  oidcToken: string,
): Promise<Identity> {
  const request = { call: "describe", oidcToken } as const;
  const answer = await host.askSigner(request, organizationId, familyId);
  if (answer.kind === "error") throw fromErrorMessage(answer.error);
  if (answer.kind === "description" && answer.identity) return answer.identity;
  throw new ApiError("UNAVAILABLE", "SIGNER_UNAVAILABLE", "the signer did not verify the token");
}
