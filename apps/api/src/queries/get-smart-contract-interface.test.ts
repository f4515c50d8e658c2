import { expect, test } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, someTimes, unknownId } from "./queries.testing.ts";

const program = {
  smartContractAddress: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  // White space is part of the text.
  smartContractInterface: '{ "instructions": [],\n  "types": [] }\n',
  type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
  label: "vault",
} as const;

async function newInterface({ root }: TestOrganization) {
  return (await root.createSmartContractInterface(program)).smartContractInterfaceId;
}

test("an interface is shown with exactly the text that was submitted", async () => {
  const organization = await newOrganization();
  const { root, organizationId } = organization;
  const smartContractInterfaceId = await newInterface(organization);
  expect(await root.getSmartContractInterface({ smartContractInterfaceId })).toEqual({
    smartContractInterface: {
      organizationId,
      smartContractInterfaceId,
      ...program,
      notes: "",
      ...someTimes,
    },
  });
});

test("an interface that is unknown, or another organization's, is not found", async () => {
  const { root } = await newOrganization();
  const theirs = await newInterface(await newOrganization());
  for (const smartContractInterfaceId of [unknownId, theirs]) {
    const asked = root.getSmartContractInterface({ smartContractInterfaceId });
    await expectNotFound(asked, {
      field: "smartContractInterfaceId",
      message: `smart contract interface not found: \`${smartContractInterfaceId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_smart_contract_interface", async (organization) => ({
    smartContractInterfaceId: await newInterface(organization),
  }));
});
