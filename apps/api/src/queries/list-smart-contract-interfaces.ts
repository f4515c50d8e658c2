import { OrganizationId } from "@keyhearth/engine/fields";
import * as z from "zod";
import { SmartContractInterface } from "../contract/objects.ts";
import { MissingRecord } from "../errors.ts";
import { renderSmartContractInterface } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { listSmartContractInterfaces as listRecords } from "../store/smart-contract-interfaces.ts";

/** All contract interfaces, oldest first. */
export const listSmartContractInterfaces = defineQuery({
  name: "list_smart_contract_interfaces",
  tag: "Policies",
  summary: "List smart contract interfaces",
  description: "List the smart contract interfaces of an organization, with their texts.",
  requestName: "GetSmartContractInterfacesRequest",
  responseName: "GetSmartContractInterfacesResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({
    smartContractInterfaces: z.array(SmartContractInterface).describe("The interfaces."),
  }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ db, organizationId, document: { smartContractInterfaces: lines } }) {
    const ids = lines.map(({ smartContractInterfaceId }) => smartContractInterfaceId);
    const found = await listRecords(db, organizationId, ids);
    const records = new Map(found.map((record) => [record.smartContractInterfaceId, record]));
    return {
      smartContractInterfaces: lines.map((line) => {
        const id = line.smartContractInterfaceId;
        const record = records.get(id);
        if (!record) throw new MissingRecord(`smart contract interface ${id}`);
        return renderSmartContractInterface(organizationId, line, record);
      }),
    };
  },
});
