import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { expect, test } from "vitest";
import { unseal } from "../vault/seal.ts";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import { type Wallet, wallet } from "./wallet.ts";

const walletBody: Wallet = {
  walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
  mnemonicLength: 12,
  language: "ENGLISH",
  sealedPassphrase: null,
  sealedEntropy: {
    keyEpoch: 1,
    nonce: "EhISEhISEhISEhIS",
    ciphertext: "mbiIaKKGbORPeXVuvUY2OqG46_1-G62oEWbAUJqKv_s",
  },
  sealedSeed: {
    keyEpoch: 1,
    nonce: "FBQUFBQUFBQUFBQU",
    ciphertext:
      "dezBzEWlPQIoohPl3kFrmi9ypzJ6abKcY0F1r5qF2Xjt5Nr61zHI-7VzZ2hQWsRVE9gBVzAjlntVUhcH5lDonKJ52kQ3mg6VUWkxR-iwr70",
  },
  createdAtMs: 1767225600000,
};

const walletV1 =
  "S0hSMQAAAAEAAACZeyJ0eXBlIjoid2FsbGV0Iiwic2NoZW1hIjoxLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwidmVyc2lvbiI6MSwia2V5RXBvY2giOjF9AAABinsid2FsbGV0SWQiOiI3YzJlM2Q0Zi04YjY1LTRiOWYtOWE2Zi0xZTJiM2M0ZDVlNmYiLCJtbmVtb25pY0xlbmd0aCI6MTIsInNlYWxlZEVudHJvcHkiOnsia2V5RXBvY2giOjEsIm5vbmNlIjoiRWhJU0VoSVNFaElTRWhJUyIsImNpcGhlcnRleHQiOiJtYmlJYUtLR2JPUlBlWFZ1dlVZMk9xRzQ2XzEtRzYyb0VXYkFVSnFLdl9zIn0sInNlYWxlZFNlZWQiOnsia2V5RXBvY2giOjEsIm5vbmNlIjoiRkJRVUZCUVVGQlFVRkJRVSIsImNpcGhlcnRleHQiOiJkZXpCekVXbFBRSW9vaFBsM2tGcm1pOXlweko2YWJLY1kwRjFyNXFGMlhqdDVOcjYxekhJLTdWeloyaFFXc1JWRTlnQlZ6QWpsbnRWVWhjSDVsRG9uS0o1MmtRM21nNlZVV2t4Ui1pd3I3MCJ9LCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMH1eyW+W/dLuSrKveTJFaF5Xo/aSDX3Trz+m7TCN8i8JSw==";

const imported: Wallet = {
  ...walletBody,
  language: "JAPANESE",
  sealedPassphrase: {
    keyEpoch: 1,
    nonce: "FxcXFxcXFxcXFxcX",
    ciphertext: "uDcmRJDsnEph_Q1hFGFme0ITSpJl8w9K",
  },
};

const walletV2 =
  "S0hSMQAAAAEAAACZeyJ0eXBlIjoid2FsbGV0Iiwic2NoZW1hIjoyLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwidmVyc2lvbiI6MSwia2V5RXBvY2giOjF9AAACDXsid2FsbGV0SWQiOiI3YzJlM2Q0Zi04YjY1LTRiOWYtOWE2Zi0xZTJiM2M0ZDVlNmYiLCJtbmVtb25pY0xlbmd0aCI6MTIsImxhbmd1YWdlIjoiSkFQQU5FU0UiLCJzZWFsZWRQYXNzcGhyYXNlIjp7ImtleUVwb2NoIjoxLCJub25jZSI6IkZ4Y1hGeGNYRnhjWEZ4Y1giLCJjaXBoZXJ0ZXh0IjoidURjbVJKRHNuRXBoX1ExaEZHRm1lMElUU3BKbDh3OUsifSwic2VhbGVkRW50cm9weSI6eyJrZXlFcG9jaCI6MSwibm9uY2UiOiJFaElTRWhJU0VoSVNFaElTIiwiY2lwaGVydGV4dCI6Im1iaUlhS0tHYk9SUGVYVnV2VVkyT3FHNDZfMS1HNjJvRVdiQVVKcUt2X3MifSwic2VhbGVkU2VlZCI6eyJrZXlFcG9jaCI6MSwibm9uY2UiOiJGQlFVRkJRVUZCUVVGQlFVIiwiY2lwaGVydGV4dCI6ImRlekJ6RVdsUFFJb29oUGwza0ZybWk5eXB6SjZhYktjWTBGMXI1cUYyWGp0NU5yNjF6SEktN1Z6WjJoUVdzUlZFOWdCVnpBamxudFZVaGNINWxEb25LSjUya1EzbWc2VlVXa3hSLWl3cjcwIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwfY0z2NPk0JPVec5a8SgWk+oIQMGOZAtqbrkRkEqW2stC";

test("a wallet record of schema 2 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletV2));
  expect(record.header).toMatchObject({ type: "wallet", schema: 2, version: 1 });
  expect(upcast(wallet, record)).toEqual(imported);
  const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  const owner = { organizationId, id: imported.walletId, part: "passphrase" as const };
  const { sealedPassphrase } = imported;
  if (!sealedPassphrase) throw new Error("a passphrase was frozen");
  expect(openBytes(unseal(frozenKeyring, owner, sealedPassphrase))).toEqual(
    new Uint8Array(8).fill(23),
  );
});

test("a wallet record of schema 1 is in English and has no passphrase", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletV1));
  expect(record.header).toEqual({
    type: "wallet",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    version: 1,
    keyEpoch: 1,
  });
  expect(upcast(wallet, record)).toEqual(walletBody);
});

test("the key material in a wallet of schema 1 opens", () => {
  const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  const open = (part: "entropy" | "seed", sealed: Wallet["sealedSeed"]) =>
    openBytes(unseal(frozenKeyring, { organizationId, id: walletBody.walletId, part }, sealed));
  expect(open("entropy", walletBody.sealedEntropy)).toEqual(new Uint8Array(16).fill(17));
  expect(open("seed", walletBody.sealedSeed)).toEqual(new Uint8Array(64).fill(19));
});
