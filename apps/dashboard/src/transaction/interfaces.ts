import { getOrganization, getSmartContractInterface } from "@keyhearth/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { keyOf } from "../data/read.ts";
import { useCurrent } from "../session/current.tsx";
import type { Given } from "./read.ts";
import type { Reading } from "./reading.ts";

/** Reads a transaction out, with the interfaces that the organization has of the contracts in it. */
export function useReader(): (given: Given) => Promise<Reading> {
  const { connection, unpinned, session, service } = useCurrent();
  const { organizationId } = session;
  const queries = useQueryClient();

  const textOf = (smartContractInterfaceId: string) =>
    queries.ensureQueryData({
      queryKey: keyOf(organizationId, "get_smart_contract_interface", { smartContractInterfaceId }),
      queryFn: () => getSmartContractInterface(connection, { smartContractInterfaceId }),
    });
  const interfacesOf = async (addresses: readonly string[]) => {
    if (addresses.length === 0) return [];
    const { organizationData } = await queries.ensureQueryData({
      queryKey: keyOf(organizationId, "get_organization", {}),
      queryFn: () => getOrganization(unpinned, {}),
    });
    const sought = new Set(addresses.map((address) => address.toLowerCase()));
    const ids = (organizationData.smartContractInterfaceReferences ?? []).flatMap(
      ({ smartContractAddress = "", smartContractInterfaceId: id }) =>
        id !== undefined && sought.has(smartContractAddress.toLowerCase()) ? [id] : [],
    );
    const found = await Promise.all(ids.map(textOf));
    return found.map(({ smartContractInterface }) => smartContractInterface);
  };

  return async (given) => {
    const { contractsIn, readTransaction } = await import("./read.ts");
    // Who may not read interfaces sees the call as bytes.
    const interfaces = await interfacesOf(contractsIn(given)).catch(() => []);
    const reading = readTransaction({ ...given, interfaces });
    if (!service.isElsewhere || !reading.readBy) return reading;
    return { ...reading, isUnread: true, warnings: [...reading.warnings, NOT_PINNED] };
  };
}

/** Of a build for another origin, which believes no text that only the service shows. */
const NOT_PINNED =
  "Only the service says that this is the interface of the contract, and nothing proves it. Compare the call data with its source.";
