import { beforeAll, expect, test, vi } from "vitest";
import { HERE } from "../reader/allowance.ts";
import { listActivities } from "../store/activities.ts";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { ask } from "./queries.testing.ts";

const tooLarge = HERE.record + 1;

let organization: TestOrganization;
let ids: { activityId: string; smartContractInterfaceId: string };

beforeAll(async () => {
  organization = await newOrganization();
  const { root } = organization;
  const { activity, smartContractInterfaceId } = await root.createSmartContractInterface({
    smartContractAddress: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    smartContractInterface: '{ "instructions": [], "types": [] }'.padEnd(tooLarge),
    type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
    label: "large",
  });
  ids = { activityId: activity.id, smartContractInterfaceId };
});

test.each([
  ["get_activity", () => ({ activityId: ids.activityId })],
  ["get_policy_evaluations", () => ({ activityId: ids.activityId })],
  [
    "get_smart_contract_interface",
    () => ({ smartContractInterfaceId: ids.smartContractInterfaceId }),
  ],
  ["list_activities", () => ({ paginationOptions: { limit: "1" } })],
])("%s leaves a large record to the reader", async (name, parameters) => {
  const { root, server, organizationId } = organization;
  const run = vi.spyOn(server.host.reader, "run");
  expect(await ask(root, name, organizationId, parameters())).toMatchObject({});
  expect(run).toHaveBeenCalledOnce();
  run.mockRestore();
});

test("what is left to the reader is not read before", async () => {
  const { server, organizationId } = organization;
  const { record: maxRecordBytes, records: maxBytes } = HERE;
  const page = { limit: 10, maxRecordBytes, maxBytes };
  expect(await listActivities(server.store.db, organizationId, page)).toEqual({
    activities: [],
    isCut: true,
  });
});
