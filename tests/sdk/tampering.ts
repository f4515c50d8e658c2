import type { TestOrganization } from "@keyhearth/api/testing";
import { ApiKeyStamper, Connection, type ConnectionOptions } from "@keyhearth/sdk";

/** A connection of the organization's root user to whatever answers. */
export function connectionOf(
  { organizationId, rootKey }: TestOrganization,
  options: Partial<ConnectionOptions>,
): Connection {
  return new Connection({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: new ApiKeyStamper({
      apiPublicKey: rootKey.publicKey,
      apiPrivateKey: rootKey.privateKey,
    }),
    ...options,
  });
}

/** A connection to the real service, whose answers somebody in between reads and changes. */
export function tampering(
  organization: TestOrganization,
  change: (answer: string, path: string) => string,
  options: Partial<ConnectionOptions> = {},
): Connection {
  return connectionOf(organization, {
    async fetch(url, init) {
      const response = await organization.server.fetch(url, init);
      // The application in memory answers whatever the signal says, and a network would not.
      init.signal?.throwIfAborted();
      const answer = change(await response.text(), new URL(url).pathname);
      return new Response(answer, { status: response.status, headers: response.headers });
    },
    ...options,
  });
}
