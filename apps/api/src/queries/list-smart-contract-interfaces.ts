import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { MissingRecord } from "../errors.ts";
import { renderSmartContractInterface } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { assertLight } from "../reader/allowance.ts";
import {
  listSmartContractInterfaces as listRecords,
  sizesOfSmartContractInterfaces,
} from "../store/smart-contract-interfaces.ts";
import { SmartContractInterface } from "../wire/objects.ts";

/** All contract interfaces, oldest first. */
export const listSmartContractInterfaces = defineQuery({
  name: "list_smart_contract_interfaces",
  tag: "Policies",
  summary: "List smart contract interfaces",
  description:
    "List the smart contract interfaces of an organization, with their texts. If they have more than 4 MiB together, the texts of the last ones are empty: get_smart_contract_interface returns each.",
  requestName: "GetSmartContractInterfacesRequest",
  responseName: "GetSmartContractInterfacesResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({
    smartContractInterfaces: z.array(SmartContractInterface).describe("The interfaces."),
  }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  maxBytes: 8 * 1024 * 1024,
  mayAskStandby: true,
  async answer({ db, organizationId, allowance, document: { smartContractInterfaces: lines } }) {
    const ids = lines.map(({ smartContractInterfaceId }) => smartContractInterfaceId);
    const sizes = await sizesOfSmartContractInterfaces(db, organizationId, ids);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assertLight(allowance, bytes <= allowance.records);
    const shown = new Set(withinAnswer(ids, sizes));
    const found = await listRecords(db, organizationId, [...shown]);
    const records = new Map(found.map((record) => [record.smartContractInterfaceId, record]));
    return {
      smartContractInterfaces: lines.map((line) => {
        const id = line.smartContractInterfaceId;
        const record = records.get(id);
        if (!record && (shown.has(id) || !sizes.has(id))) {
          throw new MissingRecord(`smart contract interface ${id}`);
        }
        return renderSmartContractInterface(organizationId, line, record ?? LEFT_OUT);
      }),
    };
  },
});

/** Bytes of the records whose texts are in one answer. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;

const LEFT_OUT = { text: "" };

/** The first ones, as many as fit. */
function withinAnswer(ids: string[], sizes: Map<string, number>): string[] {
  let left = MAX_TEXT_BYTES;
  return ids.filter((id) => {
    left -= sizes.get(id) ?? 0;
    return left >= 0;
  });
}
