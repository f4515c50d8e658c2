import { join } from "node:path";
import { createApiKey } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { privateTextOf, schemeOf, writeKey } from "../connection/key-files.ts";
import { checkName, ownFolder } from "../connection/own-folder.ts";
import { columns, type Report } from "../output.ts";

/** Makes an API key, and stores or prints it. */
export async function generateApiKey(given: Given, { env }: Surroundings): Promise<Report> {
  const name = given.word(0);
  const curve = given.choice("curve", ["p256", "secp256k1", "ed25519"]);
  if (name !== "-") checkName(name, "the name of a key");
  const { apiPublicKey, apiPrivateKey, scheme, curveType } = createApiKey({
    scheme: schemeOf(curve),
  });
  const facts = { apiPublicKey, scheme, curveType };
  if (name === "-") {
    return {
      exitCode: 0,
      json: { ...facts, apiPrivateKey },
      text: (paint) =>
        columns([
          [paint("dim", "public key"), apiPublicKey],
          [paint("dim", "private key"), apiPrivateKey],
          [paint("dim", "curve"), curve],
        ]).join("\n"),
    };
  }
  const folder = join(ownFolder(env), "keys");
  const pair = { publicKey: apiPublicKey, privateKey: apiPrivateKey };
  const path = await writeKey(folder, name, {
    publicKey: apiPublicKey,
    privateText: privateTextOf(pair, curve),
    meta: { name, organizations: [], scheme },
  });
  return {
    exitCode: 0,
    json: { name, ...facts, keyFile: path },
    text: (paint) =>
      columns([
        [paint("dim", "public key"), apiPublicKey],
        [paint("dim", "key file"), path],
      ]).join("\n"),
  };
}
