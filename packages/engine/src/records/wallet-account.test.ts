import { expect, test } from "vitest";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import { type WalletAccount, walletAccount } from "./wallet-account.ts";

const walletAccountBody: WalletAccount = {
  walletAccountId: "c173829e-d0ba-4ae4-8fb4-637081920314",
  walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  name: "payouts",
  proof: {
    scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
    publicKey: "04aa",
    proofPayload: "{}",
    signature: "bb",
  },
  createdAtMs: 1767225600000,
  requestedAtMs: 1767225600003,
  documentVersion: 12,
};

const walletAccountV1 =
  "S0hSMQAAAAEAAACheyJ0eXBlIjoid2FsbGV0LWFjY291bnQiLCJzY2hlbWEiOjEsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ2ZXJzaW9uIjoxLCJrZXlFcG9jaCI6MX0AAAIAeyJ3YWxsZXRBY2NvdW50SWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsImN1cnZlIjoiQ1VSVkVfU0VDUDI1NksxIiwicGF0aEZvcm1hdCI6IlBBVEhfRk9STUFUX0JJUDMyIiwicGF0aCI6Im0vNDQnLzYwJy8wJy8wLzAiLCJhZGRyZXNzRm9ybWF0IjoiQUREUkVTU19GT1JNQVRfRVRIRVJFVU0iLCJhZGRyZXNzIjoiMHg5ODU4RWZGRDIzMkI0MDMzRTQ3ZDkwMDAzRDQxRUMzNEVjYUVkYTk0IiwicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwicHJvb2YiOnsic2NoZW1lIjoiU0lHTkFUVVJFX1NDSEVNRV9FUEhFTUVSQUxfS0VZX1AyNTYiLCJwdWJsaWNLZXkiOiIwNGFhIiwicHJvb2ZQYXlsb2FkIjoie30iLCJzaWduYXR1cmUiOiJiYiJ9LCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMH0dx336gRE1RU2or7ZaqNMeCYQustqFeanRxA5XutX4Cg==";

const walletAccountV2 =
  "S0hSMQAAAAEAAACheyJ0eXBlIjoid2FsbGV0LWFjY291bnQiLCJzY2hlbWEiOjIsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ2ZXJzaW9uIjoxLCJrZXlFcG9jaCI6MX0AAAIReyJ3YWxsZXRBY2NvdW50SWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsImN1cnZlIjoiQ1VSVkVfU0VDUDI1NksxIiwicGF0aEZvcm1hdCI6IlBBVEhfRk9STUFUX0JJUDMyIiwicGF0aCI6Im0vNDQnLzYwJy8wJy8wLzAiLCJhZGRyZXNzRm9ybWF0IjoiQUREUkVTU19GT1JNQVRfRVRIRVJFVU0iLCJhZGRyZXNzIjoiMHg5ODU4RWZGRDIzMkI0MDMzRTQ3ZDkwMDAzRDQxRUMzNEVjYUVkYTk0IiwicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwibmFtZSI6InBheW91dHMiLCJwcm9vZiI6eyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwfewDbM5PmCvfUE2uKJxA501wQj4CqoVm55Rl37uQO9QU";

const walletAccountV3 =
  "S0hSMQAAAAEAAACheyJ0eXBlIjoid2FsbGV0LWFjY291bnQiLCJzY2hlbWEiOjMsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ2ZXJzaW9uIjoxLCJrZXlFcG9jaCI6MX0AAAImeyJ3YWxsZXRBY2NvdW50SWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsImN1cnZlIjoiQ1VSVkVfU0VDUDI1NksxIiwicGF0aEZvcm1hdCI6IlBBVEhfRk9STUFUX0JJUDMyIiwicGF0aCI6Im0vNDQnLzYwJy8wJy8wLzAiLCJhZGRyZXNzRm9ybWF0IjoiQUREUkVTU19GT1JNQVRfRVRIRVJFVU0iLCJhZGRyZXNzIjoiMHg5ODU4RWZGRDIzMkI0MDMzRTQ3ZDkwMDAzRDQxRUMzNEVjYUVkYTk0IiwicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwibmFtZSI6InBheW91dHMiLCJwcm9vZiI6eyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJkb2N1bWVudFZlcnNpb24iOjEyfTkP1QQ+1IREM1OaFScau5SZDuXnLcZZC2duCc0uGUce";

const walletAccountV4 =
  "S0hSMQAAAAEAAACheyJ0eXBlIjoid2FsbGV0LWFjY291bnQiLCJzY2hlbWEiOjQsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ2ZXJzaW9uIjoxLCJrZXlFcG9jaCI6MX0AAAJEeyJ3YWxsZXRBY2NvdW50SWQiOiJjMTczODI5ZS1kMGJhLTRhZTQtOGZiNC02MzcwODE5MjAzMTQiLCJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsImN1cnZlIjoiQ1VSVkVfU0VDUDI1NksxIiwicGF0aEZvcm1hdCI6IlBBVEhfRk9STUFUX0JJUDMyIiwicGF0aCI6Im0vNDQnLzYwJy8wJy8wLzAiLCJhZGRyZXNzRm9ybWF0IjoiQUREUkVTU19GT1JNQVRfRVRIRVJFVU0iLCJhZGRyZXNzIjoiMHg5ODU4RWZGRDIzMkI0MDMzRTQ3ZDkwMDAzRDQxRUMzNEVjYUVkYTk0IiwicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwibmFtZSI6InBheW91dHMiLCJwcm9vZiI6eyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJyZXF1ZXN0ZWRBdE1zIjoxNzY3MjI1NjAwMDAzLCJkb2N1bWVudFZlcnNpb24iOjEyfeYZbl4Cocmj0KXwMB0obswuczpUp3Gx+dWU8bZEW1Gz";

const beforeRequests = { ...walletAccountBody, requestedAtMs: 1767225900000 };

const beforeVersions = { ...beforeRequests, documentVersion: 0 };

test("a wallet account record of schema 1 has no name", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletAccountV1));
  expect(record.header).toEqual({
    type: "wallet-account",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "c173829e-d0ba-4ae4-8fb4-637081920314",
    version: 1,
    keyEpoch: 1,
  });
  expect(upcast(walletAccount, record)).toEqual({ ...beforeVersions, name: null });
});

test("a wallet account record of schema 2 does not say which document it was made by", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletAccountV2));
  expect(record.header).toMatchObject({ type: "wallet-account", schema: 2 });
  expect(upcast(walletAccount, record)).toEqual(beforeVersions);
});

test("a wallet account record of schema 3 does not say when its request was stamped", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletAccountV3));
  expect(record.header).toMatchObject({ type: "wallet-account", schema: 3 });
  expect(upcast(walletAccount, record)).toEqual(beforeRequests);
});

test("a wallet account record of schema 4 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(walletAccountV4));
  expect(record.header).toMatchObject({ type: "wallet-account", schema: 4 });
  expect(upcast(walletAccount, record)).toEqual(walletAccountBody);
});
