import { findAddressFormat } from "../addresses.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

const CURVES = {
  secp256k1: "CURVE_SECP256K1",
  p256: "CURVE_P256",
  ed25519: "CURVE_ED25519",
} as const;

/** A private key that belongs to no wallet. Its curve follows from the first address format, if it is not given. */
export async function privateKeysCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const formats = given.list("account").map(findAddressFormat);
  const usual = formats[0]?.curves[0];
  const curve =
    given.option("curve") === undefined && usual !== undefined
      ? usual
      : CURVES[given.choice("curve", ["secp256k1", "p256", "ed25519"])];
  const wrong = formats.find(({ curves }) => !curves.includes(curve));
  if (wrong) {
    throw new InputError(
      `an address in the format ${wrong.name} needs ${wrong.curves.join(" or ")}, and this key would be on ${curve}: give each key formats of one curve`,
    );
  }
  const { client } = await connect(given, surroundings);
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: given.word(0),
        curve,
        privateKeyTags: [...given.list("tag")],
        addressFormats: formats.map(({ format }) => format),
      },
    ],
  });
  const [made] = privateKeys;
  return factsReport(made, [
    ["private key", made?.privateKeyId ?? ""],
    ...(made?.addresses ?? []).map(({ address = "" }) => ["address", address] as const),
  ]);
}
