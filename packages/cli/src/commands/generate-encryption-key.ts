import { join } from "node:path";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "../command.ts";
import { writeKey } from "../connection/key-files.ts";
import { checkName, ownFolder } from "../connection/own-folder.ts";
import { columns, type Report } from "../output.ts";

/** Makes a key that exports are encrypted to, and stores or prints it. */
export async function generateEncryptionKey(given: Given, { env }: Surroundings): Promise<Report> {
  const name = given.word(0);
  if (name !== "-") checkName(name, "the name of a key");
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  if (name === "-") {
    return {
      exitCode: 0,
      json: { targetPublicKey, targetPrivateKey },
      text: (paint) =>
        columns([
          [paint("dim", "public key"), targetPublicKey],
          [paint("dim", "private key"), targetPrivateKey],
        ]).join("\n"),
    };
  }
  const path = await writeKey(join(ownFolder(env), "encryption-keys"), name, {
    publicKey: targetPublicKey,
    privateText: targetPrivateKey,
    meta: { name, organization: "", user: "" },
  });
  return {
    exitCode: 0,
    json: { name, targetPublicKey, keyFile: path },
    text: (paint) =>
      columns([
        [paint("dim", "public key"), targetPublicKey],
        [paint("dim", "key file"), path],
      ]).join("\n"),
  };
}
