import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { SmartContractInterfaceId } from "../fields/schemas.ts";

/** Removes an interface from the document. Its record is kept, to explain past decisions. */
export const deleteSmartContractInterface = defineActivity({
  name: "delete_smart_contract_interface",
  tag: "Policies",
  summary: "Delete smart contract interface",
  description:
    "Delete the interface of a contract. Policies no longer see the arguments of its calls: a policy that reads them cannot be evaluated, so it allows nothing.",
  policy: { resource: "SMART_CONTRACT_INTERFACE", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE",
  versions: {
    ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE: {
      intentKey: "deleteSmartContractInterfaceIntent",
      resultKey: "deleteSmartContractInterfaceResult",
      intent: z.strictObject({ smartContractInterfaceId: SmartContractInterfaceId }),
      result: z.strictObject({ smartContractInterfaceId: SmartContractInterfaceId }),
    },
  },
  example: { smartContractInterfaceId: "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c" },

  check({ document: { smartContractInterfaces } }, { smartContractInterfaceId }) {
    const isListed = smartContractInterfaces.some(
      (line) => line.smartContractInterfaceId === smartContractInterfaceId,
    );
    if (!isListed)
      throw notFound(
        "parameters.smartContractInterfaceId",
        "smart contract interface",
        smartContractInterfaceId,
      );
  },

  execute(context, { smartContractInterfaceId }) {
    const draft = context.update();
    draft.smartContractInterfaces = draft.smartContractInterfaces.filter(
      (line) => line.smartContractInterfaceId !== smartContractInterfaceId,
    );
    return { smartContractInterfaceId };
  },
});
