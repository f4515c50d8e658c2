import { expect, test } from "vitest";
import {
  type ActivityRecord,
  activity,
  activityStatement,
  messageOf,
  type Vote,
} from "./activity.ts";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";

const activityBody: ActivityRecord = {
  activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  status: "ACTIVITY_STATUS_COMPLETED",
  fingerprint: "sha256:0303030303030303030303030303030303030303030303030303030303030303",
  windowStartedAtMs: 1767225600000,
  votes: [
    {
      voteId: "019a9a51-7c40-7b52-9d10-6c7d8e9f0011",
      userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
      documentVersion: 4,
      selection: "VOTE_SELECTION_APPROVED",
      message: '{"type":"ACTIVITY_TYPE_CREATE_WALLET"}',
      publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
      signature: "3045",
      scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1",
      sessionEpoch: null,
      credential: {
        id: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
        type: "CREDENTIAL_TYPE_API_KEY_SECP256K1",
      },
      outcomes: "AID",
      createdAtMs: 1767225600000,
    },
  ],
  result: {
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    addresses: [],
  },
  sealedResult: null,
  failure: null,
  createdAtMs: 1767225600000,
  updatedAtMs: 1767225600001,
  documentVersion: 4,
  documentDigest: "abababababababababababababababababababababababababababababababab",
  appProofs: [
    {
      scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
      publicKey: "04aa",
      proofPayload: "{}",
      signature: "bb",
    },
  ],
};

const activityV4 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoiYWN0aXZpdHkiLCJzY2hlbWEiOjQsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiIwMTlhOWE1MS03YzNlLTdkMjEtOGE0NC01YjZjN2Q4ZTlmMDAiLCJ2ZXJzaW9uIjoyLCJrZXlFcG9jaCI6MX0AAATweyJhY3Rpdml0eUlkIjoiMDE5YTlhNTEtN2MzZS03ZDIxLThhNDQtNWI2YzdkOGU5ZjAwIiwidHlwZSI6IkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVCIsInN0YXR1cyI6IkFDVElWSVRZX1NUQVRVU19DT01QTEVURUQiLCJmaW5nZXJwcmludCI6InNoYTI1NjowMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzIiwid2luZG93U3RhcnRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInZvdGVzIjpbeyJ2b3RlSWQiOiIwMTlhOWE1MS03YzQwLTdiNTItOWQxMC02YzdkOGU5ZjAwMTEiLCJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6IntcInR5cGVcIjpcIkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVFwifSIsInB1YmxpY0tleSI6IjAyYzYwNDdmOTQ0MWVkN2Q2ZDMwNDU0MDZlOTVjMDdjZDg1Yzc3OGU0YjhjZWYzY2E3YWJhYzA5Yjk1YzcwOWVlNSIsInNpZ25hdHVyZSI6IjMwNDUiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9TRUNQMjU2SzEiLCJzZXNzaW9uRXBvY2giOm51bGwsImNyZWRlbnRpYWwiOnsiaWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sIm91dGNvbWVzIjoiQUlEIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9XSwicmVzdWx0IjpudWxsLCJzZWFsZWRSZXN1bHQiOnsiZG9jdW1lbnREaWdlc3QiOiJlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmZWZlZmVmIiwic2VhbGVkIjp7ImtleUVwb2NoIjoxLCJub25jZSI6IkFBRUNBd1FGQmdjSUNRb0wiLCJjaXBoZXJ0ZXh0IjoiREEwT0R3In19LCJmYWlsdXJlIjpudWxsLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsImRvY3VtZW50VmVyc2lvbiI6NCwiZG9jdW1lbnREaWdlc3QiOiJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiIiwiYXBwUHJvb2ZzIjpbeyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn1dfV/3x+Bwml83sDaUPUidfcAzIeYg7gd3rRHMvti/7D1U";

const activityV3 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoiYWN0aXZpdHkiLCJzY2hlbWEiOjMsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiIwMTlhOWE1MS03YzNlLTdkMjEtOGE0NC01YjZjN2Q4ZTlmMDAiLCJ2ZXJzaW9uIjoyLCJrZXlFcG9jaCI6MX0AAASAeyJhY3Rpdml0eUlkIjoiMDE5YTlhNTEtN2MzZS03ZDIxLThhNDQtNWI2YzdkOGU5ZjAwIiwidHlwZSI6IkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVCIsInN0YXR1cyI6IkFDVElWSVRZX1NUQVRVU19DT01QTEVURUQiLCJmaW5nZXJwcmludCI6InNoYTI1NjowMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzIiwid2luZG93U3RhcnRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInZvdGVzIjpbeyJ2b3RlSWQiOiIwMTlhOWE1MS03YzQwLTdiNTItOWQxMC02YzdkOGU5ZjAwMTEiLCJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6IntcInR5cGVcIjpcIkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVFwifSIsInB1YmxpY0tleSI6IjAyYzYwNDdmOTQ0MWVkN2Q2ZDMwNDU0MDZlOTVjMDdjZDg1Yzc3OGU0YjhjZWYzY2E3YWJhYzA5Yjk1YzcwOWVlNSIsInNpZ25hdHVyZSI6IjMwNDUiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9TRUNQMjU2SzEiLCJzZXNzaW9uRXBvY2giOm51bGwsImNyZWRlbnRpYWwiOnsiaWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sIm91dGNvbWVzIjoiQUlEIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9XSwicmVzdWx0Ijp7IndhbGxldElkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwiYWRkcmVzc2VzIjpbXX0sImZhaWx1cmUiOm51bGwsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMSwiZG9jdW1lbnRWZXJzaW9uIjo0LCJkb2N1bWVudERpZ2VzdCI6ImFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWIiLCJhcHBQcm9vZnMiOlt7InNjaGVtZSI6IlNJR05BVFVSRV9TQ0hFTUVfRVBIRU1FUkFMX0tFWV9QMjU2IiwicHVibGljS2V5IjoiMDRhYSIsInByb29mUGF5bG9hZCI6Int9Iiwic2lnbmF0dXJlIjoiYmIifV19CIeJx5aK2I+uDkRdX2vY31OYeAGBB8wFM4ZKBEq+UB8=";

const activityV2 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoiYWN0aXZpdHkiLCJzY2hlbWEiOjIsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiIwMTlhOWE1MS03YzNlLTdkMjEtOGE0NC01YjZjN2Q4ZTlmMDAiLCJ2ZXJzaW9uIjoyLCJrZXlFcG9jaCI6MX0AAAU5eyJhY3Rpdml0eUlkIjoiMDE5YTlhNTEtN2MzZS03ZDIxLThhNDQtNWI2YzdkOGU5ZjAwIiwidHlwZSI6IkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVCIsInN0YXR1cyI6IkFDVElWSVRZX1NUQVRVU19DT01QTEVURUQiLCJmaW5nZXJwcmludCI6InNoYTI1NjowMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzIiwid2luZG93U3RhcnRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInZvdGVzIjpbeyJ2b3RlSWQiOiIwMTlhOWE1MS03YzQwLTdiNTItOWQxMC02YzdkOGU5ZjAwMTEiLCJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6IntcInR5cGVcIjpcIkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVFwifSIsInB1YmxpY0tleSI6IjAyYzYwNDdmOTQ0MWVkN2Q2ZDMwNDU0MDZlOTVjMDdjZDg1Yzc3OGU0YjhjZWYzY2E3YWJhYzA5Yjk1YzcwOWVlNSIsInNpZ25hdHVyZSI6IjMwNDUiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9TRUNQMjU2SzEiLCJzZXNzaW9uRXBvY2giOm51bGwsImNyZWRlbnRpYWwiOnsiaWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sIm91dGNvbWVzIjoiQUlEIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9XSwicmVzdWx0Ijp7IndhbGxldElkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwiYWRkcmVzc2VzIjpbXX0sImZhaWx1cmUiOm51bGwsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMSwiZG9jdW1lbnRWZXJzaW9uIjo0LCJkb2N1bWVudERpZ2VzdCI6ImFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWIiLCJhcHBQcm9vZnMiOlt7InNjaGVtZSI6IlNJR05BVFVSRV9TQ0hFTUVfRVBIRU1FUkFMX0tFWV9QMjU2IiwicHVibGljS2V5IjoiMDRhYSIsInByb29mUGF5bG9hZCI6Int9Iiwic2lnbmF0dXJlIjoiYmIifV0sIndhcm5pbmdzIjpbeyJjb2RlIjoiZGVueS1jYW4tZXJyb3IiLCJtZXNzYWdlIjoicmVhZGluZyBgd2FsbGV0YCBmYWlscyB3aGVyZSBubyB3YWxsZXQgc2lnbnMiLCJwb2xpY3lJZCI6IjRiMGQxZTJmLTZhNzEtNGM4Mi05YjkzLTBjMWQyZTNmNGE1YiIsImNsYXVzZSI6ImNvbmRpdGlvbiIsInN0YXJ0IjowLCJlbmQiOjl9XX3HsJ4iyUsfRklNMk4dEmxHiufw6Mtd1xkXgpG7u+t4AA==";

const activityV1 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoiYWN0aXZpdHkiLCJzY2hlbWEiOjEsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiIwMTlhOWE1MS03YzNlLTdkMjEtOGE0NC01YjZjN2Q4ZTlmMDAiLCJ2ZXJzaW9uIjoyLCJrZXlFcG9jaCI6MX0AAAQJeyJhY3Rpdml0eUlkIjoiMDE5YTlhNTEtN2MzZS03ZDIxLThhNDQtNWI2YzdkOGU5ZjAwIiwidHlwZSI6IkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVCIsInN0YXR1cyI6IkFDVElWSVRZX1NUQVRVU19DT01QTEVURUQiLCJmaW5nZXJwcmludCI6InNoYTI1NjowMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzIiwid2luZG93U3RhcnRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInZvdGVzIjpbeyJ2b3RlSWQiOiIwMTlhOWE1MS03YzQwLTdiNTItOWQxMC02YzdkOGU5ZjAwMTEiLCJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6IntcInR5cGVcIjpcIkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVFwifSIsInB1YmxpY0tleSI6IjAyYzYwNDdmOTQ0MWVkN2Q2ZDMwNDU0MDZlOTVjMDdjZDg1Yzc3OGU0YjhjZWYzY2E3YWJhYzA5Yjk1YzcwOWVlNSIsInNpZ25hdHVyZSI6IjMwNDUiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9TRUNQMjU2SzEiLCJzZXNzaW9uRXBvY2giOm51bGwsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwfV0sInJlc3VsdCI6eyJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsImFkZHJlc3NlcyI6W119LCJmYWlsdXJlIjpudWxsLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsImRvY3VtZW50VmVyc2lvbiI6NCwiZG9jdW1lbnREaWdlc3QiOiJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiIiwiYXBwUHJvb2ZzIjpbeyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn1dffDy1G8iJHB/SSS4/g+P7YwiY7HcTVHm3leKMxHQFW2v";

test("an activity of schema 4 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(activityV4));
  expect(record.header).toMatchObject({ schema: 4, version: 2 });
  expect(upcast(activity, record)).toEqual({
    ...activityBody,
    result: null,
    sealedResult: {
      documentDigest: "ef".repeat(32),
      sealed: { keyEpoch: 1, nonce: "AAECAwQFBgcICQoL", ciphertext: "DA0ODw" },
    },
  });
});

const activityV5 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoiYWN0aXZpdHkiLCJzY2hlbWEiOjUsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiIwMTlhOWE1MS03YzNlLTdkMjEtOGE0NC01YjZjN2Q4ZTlmMDAiLCJ2ZXJzaW9uIjozLCJrZXlFcG9jaCI6MX0AAAZYeyJhY3Rpdml0eUlkIjoiMDE5YTlhNTEtN2MzZS03ZDIxLThhNDQtNWI2YzdkOGU5ZjAwIiwidHlwZSI6IkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVCIsInN0YXR1cyI6IkFDVElWSVRZX1NUQVRVU19DT01QTEVURUQiLCJmaW5nZXJwcmludCI6InNoYTI1NjowMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzMDMwMzAzIiwid2luZG93U3RhcnRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInZvdGVzIjpbeyJ2b3RlSWQiOiIwMTlhOWE1MS03YzQwLTdiNTItOWQxMC02YzdkOGU5ZjAwMTEiLCJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6IntcInR5cGVcIjpcIkFDVElWSVRZX1RZUEVfQ1JFQVRFX1dBTExFVFwifSIsInB1YmxpY0tleSI6IjAyYzYwNDdmOTQ0MWVkN2Q2ZDMwNDU0MDZlOTVjMDdjZDg1Yzc3OGU0YjhjZWYzY2E3YWJhYzA5Yjk1YzcwOWVlNSIsInNpZ25hdHVyZSI6IjMwNDUiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9TRUNQMjU2SzEiLCJzZXNzaW9uRXBvY2giOm51bGwsImNyZWRlbnRpYWwiOnsiaWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sIm91dGNvbWVzIjoiQUlEIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9LHsidm90ZUlkIjoiMDE5YTlhNTEtN2M0MC03YjUyLTlkMTAtNmM3ZDhlOWYwMDExIiwidXNlcklkIjoiZ3JhY2UiLCJkb2N1bWVudFZlcnNpb24iOjQsInNlbGVjdGlvbiI6IlZPVEVfU0VMRUNUSU9OX0FQUFJPVkVEIiwibWVzc2FnZSI6bnVsbCwicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1Iiwic2lnbmF0dXJlIjoiMzA0NSIsInNjaGVtZSI6IlNJR05BVFVSRV9TQ0hFTUVfVEtfQVBJX1NFQ1AyNTZLMSIsInNlc3Npb25FcG9jaCI6bnVsbCwiY3JlZGVudGlhbCI6eyJpZCI6IjllNDA1ZjZiLWFkODctNGRiMS05YzgxLTMwNGQ1ZTZmNzA4MSIsInR5cGUiOiJDUkVERU5USUFMX1RZUEVfQVBJX0tFWV9TRUNQMjU2SzEifSwib3V0Y29tZXMiOiJBSUQiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMH1dLCJyZXN1bHQiOnsid2FsbGV0SWQiOiI3YzJlM2Q0Zi04YjY1LTRiOWYtOWE2Zi0xZTJiM2M0ZDVlNmYiLCJhZGRyZXNzZXMiOltdfSwic2VhbGVkUmVzdWx0IjpudWxsLCJmYWlsdXJlIjpudWxsLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsImRvY3VtZW50VmVyc2lvbiI6NCwiZG9jdW1lbnREaWdlc3QiOiJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiIiwiYXBwUHJvb2ZzIjpbeyJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX0VQSEVNRVJBTF9LRVlfUDI1NiIsInB1YmxpY0tleSI6IjA0YWEiLCJwcm9vZlBheWxvYWQiOiJ7fSIsInNpZ25hdHVyZSI6ImJiIn1dfR5TVuTCgh0zy6vIMbvuEGdcwMzkSdscH3YOW66MxIWC";

const [firstVote] = activityBody.votes;

const votedOn: ActivityRecord = {
  ...activityBody,
  votes: [
    ...activityBody.votes,
    ...activityBody.votes.map((vote) => ({ ...vote, userId: "grace", message: null })),
  ],
};

test("an activity of schema 5 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(activityV5));
  expect(record.header).toMatchObject({ schema: 5, version: 3 });
  expect(upcast(activity, record)).toEqual(votedOn);
});

test("a vote without a message is over the message of the first vote", () => {
  const other = { ...votedOn.votes[1], message: "other" } as Vote;
  const messages = [...votedOn.votes, other].map((vote) => messageOf(votedOn, vote));
  expect(messages).toEqual([firstVote?.message, firstVote?.message, "other"]);
});

test("an activity of schema 3 has no sealed result", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(activityV3));
  expect(record.header).toMatchObject({ schema: 3, version: 2 });
  expect(upcast(activity, record)).toEqual(activityBody);
});

test("an activity of schema 2 loses its lint warnings", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(activityV2));
  expect(record.header).toMatchObject({ schema: 2, version: 2 });
  expect(record.body).toMatchObject({ warnings: [{ code: "deny-can-error" }] });
  expect(upcast(activity, record)).toEqual(activityBody);
});

test("an activity of schema 1 has no policy outcomes", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(activityV1));
  expect(record.header).toEqual({
    type: "activity",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
    version: 2,
    keyEpoch: 1,
  });
  const votes = activityBody.votes.map((vote) => ({ ...vote, credential: null, outcomes: "" }));
  expect(upcast(activity, record)).toEqual({ ...activityBody, votes });
});

test("the statement about an activity never changes its form, because receipts contain it", () => {
  const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  expect(activityStatement(organizationId, activityBody, 2)).toBe(
    '{"activityId":"019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00","activityType":"ACTIVITY_TYPE_CREATE_WALLET","activityVersion":2,"documentDigest":"abababababababababababababababababababababababababababababababab","documentVersion":4,"fingerprint":"sha256:0303030303030303030303030303030303030303030303030303030303030303","organizationId":"5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11","resultDigest":"91e648d0f25de2ee38daf94d287550e80e643f1a2a2e7bc9b9f0196995a0e9e5","status":"ACTIVITY_STATUS_COMPLETED","timestampMs":"1767225600001","type":"keyhearth.activity.v1"}',
  );
});
