import { notFound } from "@keyhearth/engine/errors";
import { OrganizationId, SmartContractInterfaceId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { MissingRecord } from "../errors.ts";
import { renderSmartContractInterface } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { readHere } from "../reader/allowance.ts";
import { findSmartContractInterface } from "../store/smart-contract-interfaces.ts";
import { SmartContractInterface } from "../wire/objects.ts";

/** The interface of a contract, exactly as it was submitted. */
export const getSmartContractInterface = defineQuery({
  name: "get_smart_contract_interface",
  tag: "Policies",
  summary: "Get smart contract interface",
  description: "Get the interface of a smart contract by its id.",
  requestName: "GetSmartContractInterfaceRequest",
  responseName: "GetSmartContractInterfaceResponse",
  request: z.object({
    organizationId: OrganizationId,
    smartContractInterfaceId: SmartContractInterfaceId,
  }),
  response: z.object({ smartContractInterface: SmartContractInterface }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    smartContractInterfaceId: "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
  },

  async answer({ db, organizationId, document, allowance }, { smartContractInterfaceId }) {
    const line = document.smartContractInterfaces.find(
      (each) => each.smartContractInterfaceId === smartContractInterfaceId,
    );
    if (!line)
      throw notFound(
        "smartContractInterfaceId",
        "smart contract interface",
        smartContractInterfaceId,
      );
    const record = readHere(
      await findSmartContractInterface(
        db,
        organizationId,
        smartContractInterfaceId,
        allowance.record,
      ),
    );
    if (!record) throw new MissingRecord(`smart contract interface ${smartContractInterfaceId}`);
    return { smartContractInterface: renderSmartContractInterface(organizationId, line, record) };
  },
});
