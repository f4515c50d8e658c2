import type { AddressProof } from "@keyhearth/engine/records/wallet-account";
import type { AddressOf } from "../store/asked-addresses.ts";
import type { Db } from "../store/connect.ts";
import { findKeyProofs } from "../store/private-keys.ts";
import { findAccountProofs } from "../store/wallet-accounts.ts";
import type { ShownActivity } from "../wire/objects.ts";

/** So many addresses of one answer are proven. A client that needs more asks for smaller pages. */
const MAX_ADDRESSES = 1000;

/**
 * Adds the signer's statements about the addresses in the results of activities, for clients that believe nothing
 * else. The statements are those of the keys, so a key that was deleted has none.
 */
export async function proveAddresses(
  db: Db,
  activities: ShownActivity[],
): Promise<ShownActivity[]> {
  const shown = activities.map((activity) => ({ activity, ...addressesIn(activity) }));
  const asked = new Map<string, AddressOf>();
  let left = MAX_ADDRESSES;
  for (const { organizationIds, addresses } of shown) {
    left -= addresses.length;
    if (left < 0) continue;
    for (const organizationId of organizationIds) {
      for (const address of addresses) {
        asked.set(`${organizationId} ${address}`, { organizationId, address });
      }
    }
  }
  const found = new Map<string, AddressProof[]>();
  for (const find of [findAccountProofs, findKeyProofs]) {
    for (const { organizationId, address, proof } of await find(db, [...asked.values()])) {
      const key = `${organizationId} ${address}`;
      found.set(key, [...(found.get(key) ?? []), proof]);
    }
  }
  return shown.map(({ activity, organizationIds, addresses }) => {
    const proofs = organizationIds.flatMap((id) =>
      addresses.flatMap((address) => found.get(`${id} ${address}`) ?? []),
    );
    return proofs.length === 0 ? activity : { ...activity, addressProofs: proofs };
  });
}

/** The addresses in a result, and the organizations that may have them: a new sub-organization, too. */
function addressesIn({ organizationId, result }: ShownActivity) {
  const organizationIds = new Set([organizationId]);
  const addresses = new Set<string>();
  const visit = (name: string, value: unknown) => {
    if (typeof value === "string") {
      if (name === "address" || name === "addresses") addresses.add(value);
      if (name === "subOrganizationId") organizationIds.add(value);
    } else if (Array.isArray(value)) {
      for (const each of value) visit(name, each);
    } else if (typeof value === "object" && value !== null) {
      for (const [member, each] of Object.entries(value)) visit(member, each);
    }
  };
  visit("result", result);
  return { organizationIds: [...organizationIds], addresses: [...addresses] };
}
