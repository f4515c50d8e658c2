import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { cut } from "../pages.ts";
import { listReport } from "../tables.ts";

/** The private keys that belong to no wallet. The keys themselves stay in the signer. */
export async function privateKeysList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { privateKeys } = await client.listPrivateKeys({});
  return listReport("privateKeys", cut(given, privateKeys), {
    shown: [
      ["PRIVATE KEY", ({ privateKeyId }) => privateKeyId],
      ["NAME", ({ privateKeyName }) => privateKeyName],
      ["CURVE", ({ curve }) => curve.replace("CURVE_", "").toLowerCase()],
      ["ADDRESSES", ({ addresses }) => addresses.map(({ address }) => address).join(", ")],
    ],
    none: "there is no private key: make one with `keyhearth private-keys create NAME --account ethereum`",
  });
}
