import type { smartContractInterfaces } from "@keyhearth/api/store/smart-contract-interfaces";
import type { TableOf } from "@keyhearth/api/store/table";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  bodyOf,
  newQuorum,
  post,
  refusal,
  startWaiting,
} from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const endpoint = "delete_smart_contract_interface";
const type = "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE";
const unknownId = "00000000-0000-4000-8000-000000000000";

const dollar = {
  smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  smartContractInterface: '[{"name":"mint","inputs":[{"name":"amount","type":"uint256"}]}]',
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  label: "dollar",
} as const;

async function newInterface({ root }: TestOrganization) {
  return (await root.createSmartContractInterface(dollar)).smartContractInterfaceId;
}

const notFound = {
  httpStatus: 404,
  grpcCode: 5,
  code: "NOT_FOUND",
  field: undefined,
};

test("a deleted interface is not shown, but its record is kept", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const smartContractInterfaceId = await newInterface(organization);
  const { activity } = await root.deleteSmartContractInterface({ smartContractInterfaceId });
  expect(activity.intent).toEqual({
    deleteSmartContractInterfaceIntent: { smartContractInterfaceId },
  });
  expect(activity.result).toEqual({
    deleteSmartContractInterfaceResult: { smartContractInterfaceId },
  });
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
  expect(await refusal(root.getSmartContractInterface({ smartContractInterfaceId }))).toEqual({
    ...notFound,
    field: "smartContractInterfaceId",
    message: `smart contract interface not found: \`${smartContractInterfaceId}\``,
  });
  const rows = await server.store.db
    .withTables<TableOf<typeof smartContractInterfaces>>()
    .selectFrom("smart_contract_interfaces")
    .select("smart_contract_interface_id")
    .where("organization_id", "=", organizationId)
    .execute();
  expect(rows).toEqual([{ smart_contract_interface_id: smartContractInterfaceId }]);
});

test("its label and address are free again, and other interfaces stay", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const other = { ...dollar, label: "euro", smartContractAddress: `0x${"1".repeat(40)}` };
  const kept = await root.createSmartContractInterface(other);
  const smartContractInterfaceId = await newInterface(organization);
  await root.deleteSmartContractInterface({ smartContractInterfaceId });
  const again = await newInterface(organization);
  expect(again).not.toBe(smartContractInterfaceId);
  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  expect(smartContractInterfaces.map((each) => each.smartContractInterfaceId)).toEqual([
    kept.smartContractInterfaceId,
    again,
  ]);
});

test("an interface that is unknown, deleted or of another organization is not found", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const deleted = await newInterface(organization);
  await root.deleteSmartContractInterface({ smartContractInterfaceId: deleted });
  const theirs = await newInterface(await newOrganization());
  for (const smartContractInterfaceId of [unknownId, deleted, theirs]) {
    const refused = root.deleteSmartContractInterface({ smartContractInterfaceId });
    expect(await refusal(refused)).toEqual({
      ...notFound,
      field: "parameters.smartContractInterfaceId",
      message: `smart contract interface not found: \`${smartContractInterfaceId}\``,
    });
  }
});

test("the same bytes again are the same activity", async () => {
  const organization = await newOrganization();
  const { root, organizationId } = organization;
  const smartContractInterfaceId = await newInterface(organization);
  const body = bodyOf(organizationId, { type, parameters: { smartContractInterfaceId } });
  const one = await post(root, endpoint, body);
  expect(await post(root, endpoint, body)).toMatchObject({ id: one.id });
});

test("a hidden deletion does not run again on a newer interface", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const smartContractInterfaceId = await newInterface(organization);
  const body = bodyOf(organizationId, { type, parameters: { smartContractInterfaceId } });
  const { id } = await post(root, endpoint, body);
  await newInterface(organization);
  await server.store.db
    .deleteFrom("activities")
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", id)
    .execute();
  expect(await refusal(post(root, endpoint, body))).toMatchObject({
    httpStatus: 409,
    code: "ACTIVITY_ALREADY_EXECUTED",
  });
});

test("one policy may allow it for an interface, and another deny it", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const dollarId = await newInterface(organization);
  const euro = { ...dollar, label: "euro", smartContractAddress: `0x${"1".repeat(40)}` };
  const { smartContractInterfaceId: euroId } = await root.createSmartContractInterface(euro);

  const remove = "activity.resource == 'SMART_CONTRACT_INTERFACE' && activity.action == 'DELETE'";
  const allow = await rule(organization, "EFFECT_ALLOW", grace, remove);
  const isEuro = `${remove} && activity.params.smart_contract_interface_id == '${euroId}'`;
  const deny = await rule(organization, "EFFECT_DENY", grace, isEuro);
  await grace.client.deleteSmartContractInterface({ smartContractInterfaceId: dollarId });
  const refused = grace.client.deleteSmartContractInterface({ smartContractInterfaceId: euroId });
  const { message, outcomes } = await denial(refused);
  expect(message).toBe(`The following policies denied this action: ${deny}`);
  expect(new Map(outcomes).get(allow)).toBe("OUTCOME_ALLOW");
  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  expect(smartContractInterfaces.map(({ label }) => label)).toEqual(["euro"]);
});

test("it is deleted once enough root users approve", async () => {
  const organization = await newQuorum();
  const { root, second } = organization;
  const making = await startWaiting(root, "create_smart_contract_interface", {
    type: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
    parameters: dollar,
  });
  await second.client.approveActivity({ fingerprint: making.fingerprint });
  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  const ids = smartContractInterfaces.map((each) => each.smartContractInterfaceId);
  const [smartContractInterfaceId] = ids;

  const parameters = { smartContractInterfaceId };
  const waiting = await startWaiting(root, endpoint, { type, parameters });
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces });
  await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
});
