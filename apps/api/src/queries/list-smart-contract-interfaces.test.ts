import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads } from "./queries.testing.ts";

const numbered = (label: string, digit: string) => ({
  smartContractAddress: `0x${digit.repeat(40)}`,
  smartContractInterface: `[{"name":"f${digit}","inputs":[]}]`,
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM" as const,
  label,
});

test("all interfaces are listed in the order of creation, each as the single query shows it", async () => {
  const { root } = await newOrganization();
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
  await root.createSmartContractInterface(numbered("b", "3"));
  await root.createSmartContractInterface(numbered("a", "1"));
  await root.createSmartContractInterface(numbered("c", "2"));

  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  const shown = smartContractInterfaces.map((each) => [each.label, each.smartContractInterface]);
  expect(shown).toEqual([
    ["b", '[{"name":"f3","inputs":[]}]'],
    ["a", '[{"name":"f1","inputs":[]}]'],
    ["c", '[{"name":"f2","inputs":[]}]'],
  ]);
  for (const smartContractInterface of smartContractInterfaces) {
    const { smartContractInterfaceId } = smartContractInterface;
    expect(await root.getSmartContractInterface({ smartContractInterfaceId })).toEqual({
      smartContractInterface,
    });
  }
});

test("texts that are too many for one answer are left out, and the single query shows them", async () => {
  const { root } = await newOrganization();
  const long = `[{"name":"f","inputs":[],"note":"${"x".repeat(390_000)}"}]`;
  for (let i = 0; i < 12; i++) {
    const digit = i.toString(16);
    await root.createSmartContractInterface({
      ...numbered(`label ${digit}`, digit),
      smartContractInterface: long,
    });
  }
  const { smartContractInterfaces: listed } = await root.listSmartContractInterfaces();
  const lengths = listed.map(({ smartContractInterface }) => smartContractInterface.length);
  expect(lengths).toEqual([...Array(10).fill(long.length), 0, 0]);
  const { smartContractInterfaceId = "" } = listed.at(-1) ?? {};
  const { smartContractInterface } = await root.getSmartContractInterface({
    smartContractInterfaceId,
  });
  expect(smartContractInterface).toEqual({ ...listed.at(-1), smartContractInterface: long });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  const asked = root.request(
    "/public/v1/query/list_smart_contract_interfaces",
    '{"organizationId":"x"}',
  );
  await expect(asked).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_smart_contract_interfaces", async ({ root }) => {
    await root.createSmartContractInterface(numbered("a", "1"));
    return {};
  });
});
