import type { smartContractInterfaces } from "@keyhearth/api/store/smart-contract-interfaces";
import type { TableOf } from "@keyhearth/api/store/table";
import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  first,
  impatient,
  newQuorum,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { denial, rule } from "../policies/policies.testing.ts";

const endpoint = "create_smart_contract_interface";
const type = "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE";

const dollar = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";

const abi = JSON.stringify([
  {
    type: "function",
    name: "transfer",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
]);

const idl = JSON.stringify({
  instructions: [
    {
      name: "deposit",
      accounts: [{ name: "vault", writable: true }],
      args: [{ name: "amount", type: "u64" }],
    },
  ],
  types: [],
});

const ethereum = {
  smartContractAddress: dollar,
  smartContractInterface: abi,
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  label: "dollar",
} as const;

const solana = {
  smartContractAddress: token,
  smartContractInterface: idl,
  type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
  label: "vault",
} as const;

/** A list of functions of exactly this many bytes. */
function abiOf(bytes: number): string {
  const functions: string[] = [];
  for (let size = 0; size < bytes - 600; size += 1 + (functions.at(-1)?.length ?? 0)) {
    const inputs = [{ name: "amount", type: "uint256" }];
    const notice = "x".repeat(400);
    functions.push(JSON.stringify({ name: `f${functions.length}`, inputs, notice }));
  }
  const text = `[${functions.join(",")}`;
  return `${text}${" ".repeat(bytes - text.length - 1)}]`;
}

test("an interface of each type is created", async () => {
  const { root, organizationId } = await newOrganization();
  for (const parameters of [{ ...ethereum, notes: "Transfers only." }, solana]) {
    const { smartContractInterfaceId, activity } =
      await root.createSmartContractInterface(parameters);
    expect(activity.intent).toEqual({ createSmartContractInterfaceIntent: parameters });
    expect(activity.result).toEqual({
      createSmartContractInterfaceResult: { smartContractInterfaceId },
    });
    const { smartContractInterface } = await root.getSmartContractInterface({
      smartContractInterfaceId,
    });
    expect(smartContractInterface).toMatchObject({
      organizationId,
      notes: "",
      ...parameters,
    });
  }
});
test("an interface of 400,000 bytes is stored, and one of a byte more is refused", async () => {
  const { root } = await newOrganization();
  const smartContractInterface = abiOf(400_000);
  const { smartContractInterfaceId } = await root.createSmartContractInterface({
    ...ethereum,
    smartContractInterface,
  });
  const found = await root.getSmartContractInterface({ smartContractInterfaceId });
  expect(found.smartContractInterface.smartContractInterface === smartContractInterface).toBe(true);

  const tooLong = [
    abiOf(400_001),
    // Fewer characters, more bytes.
    JSON.stringify([{ name: "f", inputs: [], notice: "\u00e9".repeat(200_000) }]),
  ];
  for (const smartContractInterface of tooLong) {
    const parameters = { ...ethereum, label: "euro", smartContractInterface };
    expect(await refusal(submit(root, endpoint, { type, parameters }))).toEqual(
      badRequest(
        "FIELD_INVALID",
        "parameters.smartContractInterface",
        expect.stringContaining("must have at most 400000 bytes"),
      ),
    );
  }
});

test("an address can have only one interface, in any letter case", async () => {
  const { root } = await newOrganization();
  const made = await root.createSmartContractInterface(ethereum);
  for (const smartContractAddress of [dollar, dollar.toLowerCase()]) {
    const again = { ...ethereum, smartContractAddress, label: "dollar again" };
    expect(await refusal(root.createSmartContractInterface(again))).toEqual({
      httpStatus: 409,
      grpcCode: 6,
      code: "ALREADY_EXISTS",
      field: "parameters.smartContractAddress",
      message: `\`${smartContractAddress}\` already has the smart contract interface \`${made.smartContractInterfaceId}\` (\`dollar\`); delete it to create another`,
    });
  }
  const { smartContractInterfaceId } = await root.createSmartContractInterface(solana);
  const again = root.createSmartContractInterface({ ...solana, label: "vault again" });
  expect(await refusal(again)).toMatchObject({
    code: "ALREADY_EXISTS",
    message: expect.stringContaining(smartContractInterfaceId),
  });
});

test("a label can be used only once", async () => {
  const { root } = await newOrganization();
  await root.createSmartContractInterface(ethereum);
  const again = root.createSmartContractInterface({ ...solana, label: "dollar" });
  expect(await refusal(again)).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.label",
    message: "a smart contract interface with the label `dollar` already exists",
  });
});

test("bad parameters are refused by field, and nothing is stored", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const cases: [object, string, unknown][] = [
    [
      { type: "SMART_CONTRACT_INTERFACE_TYPE_BITCOIN" },
      "type",
      expect.stringMatching(/^invalid smart contract interface type/),
    ],
    [{ label: " " }, "label", expect.stringMatching(/^must not be only white space/)],
    [
      { notes: "n".repeat(1001) },
      "notes",
      expect.stringMatching(/^must have at most 1000 characters/),
    ],
  ];
  for (const [change, field, message] of cases) {
    const parameters = { ...ethereum, ...change };
    expect(await refusal(submit(root, endpoint, { type, parameters }))).toEqual(
      badRequest("FIELD_INVALID", `parameters.${field}`, message),
    );
  }
  const unknown = { ...ethereum, chainId: 1 };
  expect(await refusal(submit(root, endpoint, { type, parameters: unknown }))).toEqual(
    badRequest(
      "FIELD_UNKNOWN",
      "parameters.chainId",
      "invalid request body: unknown field `chainId` in `parameters`; accepted: smartContractAddress, smartContractInterface, type, label, notes",
    ),
  );
  const rows = await server.store.db
    .withTables<TableOf<typeof smartContractInterfaces>>()
    .selectFrom("smart_contract_interfaces")
    .select("digest")
    .where("organization_id", "=", organizationId)
    .execute();
  expect(rows).toEqual([]);
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
});

test("an address that no contract of the type has is refused", async () => {
  const { root } = await newOrganization();
  const noAddress = (given: string) =>
    `invalid contract address: \`parameters.smartContractAddress\`: \`${given}\` is not an address: expected 0x and 40 hex digits`;
  const noProgram = (given: string) =>
    `invalid program address: expected 32 bytes in base58, got \`${given}\``;
  const mistyped = dollar.replace("A0b8", "a0b8");
  const cases: [typeof ethereum | typeof solana, string, string][] = [
    [ethereum, dollar.slice(2), noAddress(dollar.slice(2))],
    [ethereum, dollar.slice(0, -1), noAddress(`${dollar.slice(0, 37)}...`)],
    [ethereum, "vitalik.eth", noAddress("vitalik.eth")],
    [ethereum, token, noAddress(`${token.slice(0, 37)}...`)],
    [
      ethereum,
      mistyped,
      `invalid contract address: \`parameters.smartContractAddress\`: the checksum of ${mistyped} (EIP-55) is wrong: is it mistyped?`,
    ],
    [solana, dollar, noProgram(dollar)],
    [solana, token.slice(0, -1), noProgram(token.slice(0, -1))],
    [solana, token.replace("T", "0"), noProgram(token.replace("T", "0"))],
    [solana, "1".repeat(31), noProgram("1".repeat(31))],
    [solana, "z".repeat(44), noProgram("z".repeat(44))],
    [solana, "1".repeat(5000), noProgram(`${"1".repeat(80)}…`)],
  ];
  for (const [given, smartContractAddress, message] of cases) {
    const refused = root.createSmartContractInterface({ ...given, smartContractAddress });
    expect(await refusal(refused)).toEqual(
      badRequest("FIELD_INVALID", "parameters.smartContractAddress", message),
    );
  }
  await root.createSmartContractInterface({
    ...ethereum,
    smartContractAddress: `0x${dollar.slice(2).toUpperCase()}`,
  });
  const system = { ...solana, smartContractAddress: "1".repeat(32) };
  await root.createSmartContractInterface(system);
});

test("a text that is not an interface of the type is refused with the place", async () => {
  const { root } = await newOrganization();
  const expectedAbi =
    "; expected the contract's ABI as JSON, the list that compilers write under `abi`";
  const expectedIdl =
    "; expected the program's Anchor IDL as JSON, which `anchor build` writes below target/idl";
  const cases: [typeof ethereum | typeof solana, string, RegExp, string][] = [
    [ethereum, "{", /^provided ABI is invalid: the text is not JSON/, expectedAbi],
    [ethereum, `{"abi":${abi}}`, /^provided ABI is invalid: expected a list/, expectedAbi],
    [ethereum, idl, /^provided ABI is invalid: expected a list/, expectedAbi],
    [
      ethereum,
      abi.replace('"name":"to",', ""),
      /^provided ABI is invalid: entry 0 \(transfer\), inputs 0: member `name` is missing/,
      expectedAbi,
    ],
    [
      ethereum,
      abi.replace("uint256", "uint257"),
      /^provided ABI is invalid: entry 0 .*inputs 1 .*unknown type `uint257`/,
      expectedAbi,
    ],
    [solana, "null", /^provided IDL is invalid/, expectedIdl],
    [solana, abi, /^provided IDL is invalid/, expectedIdl],
    [solana, idl.replace("u64", "u65"), /instructions\[0\] \(deposit\).*u65/, expectedIdl],
    [solana, idl.replace(',"types":[]', ""), /types/, expectedIdl],
  ];
  for (const [given, smartContractInterface, message, expected] of cases) {
    const refused = await refusal(
      root.createSmartContractInterface({ ...given, smartContractInterface }),
    );
    const field = "parameters.smartContractInterface";
    expect(refused).toEqual(badRequest("FIELD_INVALID", field, expect.stringMatching(message)));
    expect(refused.message.endsWith(expected)).toBe(true);
  }
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
});

test("the same bytes again are the same activity", async () => {
  const { root, organizationId } = await newOrganization();
  const body = bodyOf(organizationId, { type, parameters: ethereum });
  const one = await post(root, endpoint, body);
  expect(await post(root, endpoint, body)).toEqual(one);
});

test("a policy may allow it, by any parameter, and another deny it", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const create =
    "activity.resource == 'SMART_CONTRACT_INTERFACE' && activity.action == 'CREATE' && activity.params.type == 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM'";
  const allow = await rule(organization, "EFFECT_ALLOW", grace, create);
  await expect(grace.client.createSmartContractInterface(solana)).rejects.toMatchObject({
    code: "POLICY_DENIED",
  });
  await grace.client.createSmartContractInterface(ethereum);

  const isDollar = `${create} && activity.params.smart_contract_address == '${dollar}'`;
  const deny = await rule(organization, "EFFECT_DENY", grace, isDollar);
  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  const { smartContractInterfaceId } = first(smartContractInterfaces);
  await root.deleteSmartContractInterface({ smartContractInterfaceId });
  const { message, outcomes } = await denial(grace.client.createSmartContractInterface(ethereum));
  expect(message).toBe(`The following policies denied this action: ${deny}`);
  expect(new Map(outcomes).get(allow)).toBe("OUTCOME_ALLOW");
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
});

test("a waiting interface is checked again when it is created", async () => {
  const organization = await newQuorum();
  const { root, second, third } = organization;
  const waiting = await startWaiting(root, endpoint, { type, parameters: ethereum });
  const rival = await startWaiting(second.client, endpoint, {
    type,
    parameters: { ...ethereum, label: "rival" },
  });
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });

  await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  const { smartContractInterfaces } = await root.listSmartContractInterfaces();
  expect(smartContractInterfaces).toEqual([expect.objectContaining(ethereum)]);

  const late = third.client.approveActivity({ fingerprint: rival.fingerprint });
  expect(await refusal(late)).toMatchObject({
    message: expect.stringContaining(first(smartContractInterfaces).smartContractInterfaceId),
  });
  expect(await root.listSmartContractInterfaces()).toEqual({ smartContractInterfaces });
});

test("a sub-organization has its own interfaces", async () => {
  const { root, server } = await newOrganization();
  await root.createSmartContractInterface(ethereum);
  const key = newKey();
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const sub = clientOf(server, subOrganizationId, key);
  expect(await sub.listSmartContractInterfaces()).toEqual({ smartContractInterfaces: [] });
  await sub.createSmartContractInterface(ethereum);
});

test("an organization has at most 100 interfaces", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const numbered = (i: number) => ({
    ...ethereum,
    label: `interface ${i}`,
    smartContractAddress: `0x${i.toString(16).padStart(40, "0")}`,
  });
  for (let i = 0; i < 100; i++) await root.createSmartContractInterface(numbered(i));
  expect(await refusal(root.createSmartContractInterface(numbered(100)))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.label",
    message: "an organization may have 100 smart contract interfaces",
  });
});
