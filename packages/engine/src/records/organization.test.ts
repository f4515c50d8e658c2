import { expect, test } from "vitest";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import { findUser, type OrganizationDocument, organization } from "./organization.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

const document: OrganizationDocument = {
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  organizationName: "Acme",
  parentOrganizationId: null,
  previousDigest: "abababababababababababababababababababababababababababababababab",
  createdAtMs: 1767225600000,
  updatedAtMs: 1767225600001,
  users: [
    {
      userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
      userName: "Ada",
      userEmail: "ada@example.com",
      userPhoneNumber: null,
      apiKeys: [
        {
          apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
          apiKeyName: "laptop",
          credential: {
            publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
            type: "CREDENTIAL_TYPE_API_KEY_SECP256K1",
          },
          createdAtMs: 1767225600000,
          updatedAtMs: 1767225600001,
        },
      ],
      userTags: ["af51607c-be98-4ec2-8d92-415e6f708192"],
      sessionEpoch: 2,
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  userTags: [
    {
      tagId: "af51607c-be98-4ec2-8d92-415e6f708192",
      tagName: "admins",
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  privateKeyTags: [],
  rootQuorum: {
    threshold: 1,
    userIds: ["6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"],
  },
  features: [
    {
      name: "FEATURE_NAME_EMAIL_AUTH",
      value: null,
    },
  ],
  wallets: [
    {
      walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
      walletName: "treasury",
      exported: false,
      imported: false,
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  privateKeys: [
    {
      privateKeyId: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
      privateKeyName: "hot",
      curve: "CURVE_ED25519",
      privateKeyTags: [],
      exported: false,
      imported: false,
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  policies: [
    {
      policyId: "4b0d1e2f-6a71-4c82-9b93-0c1d2e3f4a5b",
      policyName: "small transfers",
      effect: "EFFECT_ALLOW",
      condition: "eth.tx.value < 1000000000000000000",
      consensus: "approvers.any(u, u.tags.contains('af51607c-be98-4ec2-8d92-415e6f708192'))",
      time: null,
      notes: "",
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  smartContractInterfaces: [
    {
      smartContractInterfaceId: "5c1e2f30-7b82-4d93-8ca4-1d2e3f4a5b6c",
      smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label: "dollar",
      notes: "",
      digest: "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
      createdAtMs: 1767225600000,
      updatedAtMs: 1767225600001,
    },
  ],
  closed: [
    {
      fingerprint: "sha256:0101010101010101010101010101010101010101010101010101010101010101",
      untilMs: 1767229200000,
      userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
      isOwn: true,
    },
  ],
  decided: [
    {
      fingerprint: "sha256:0202020202020202020202020202020202020202020202020202020202020202",
      createdAtMs: 1767225600000,
      userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    },
  ],
  decidedBeforeMs: 1767225599995,
  lapsed: [{ userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", beforeMs: 1767225599996 }],
};

const schema1 =
  "S0hSMQAAAAEAAACfeyJ0eXBlIjoib3JnYW5pemF0aW9uIiwic2NoZW1hIjoxLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwidmVyc2lvbiI6Nywia2V5RXBvY2giOjF9AAAGUXsib3JnYW5pemF0aW9uSWQiOiI1ZjdjMGM2YS0xZjJhLTRmMGUtOWQyYy04YjhmMGE0ZjFjMTEiLCJvcmdhbml6YXRpb25OYW1lIjoiQWNtZSIsInBhcmVudE9yZ2FuaXphdGlvbklkIjpudWxsLCJwcmV2aW91c0RpZ2VzdCI6ImFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWIiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsInVzZXJzIjpbeyJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJ1c2VyTmFtZSI6IkFkYSIsInVzZXJFbWFpbCI6ImFkYUBleGFtcGxlLmNvbSIsInVzZXJQaG9uZU51bWJlciI6bnVsbCwiYXBpS2V5cyI6W3siYXBpS2V5SWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJhcGlLZXlOYW1lIjoibGFwdG9wIiwiY3JlZGVudGlhbCI6eyJwdWJsaWNLZXkiOiIwMmM2MDQ3Zjk0NDFlZDdkNmQzMDQ1NDA2ZTk1YzA3Y2Q4NWM3NzhlNGI4Y2VmM2NhN2FiYWMwOWI5NWM3MDllZTUiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJ1c2VyVGFncyI6WyJhZjUxNjA3Yy1iZTk4LTRlYzItOGQ5Mi00MTVlNmY3MDgxOTIiXSwic2Vzc2lvbkVwb2NoIjoyLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwidXNlclRhZ3MiOlt7InRhZ0lkIjoiYWY1MTYwN2MtYmU5OC00ZWMyLThkOTItNDE1ZTZmNzA4MTkyIiwidGFnTmFtZSI6ImFkbWlucyIsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5VGFncyI6W10sInJvb3RRdW9ydW0iOnsidGhyZXNob2xkIjoxLCJ1c2VySWRzIjpbIjZiMWYyYzNkLTdhNTQtNGE4ZS04ZjVlLTBkMWEyYjNjNGQ1ZSJdfSwiZmVhdHVyZXMiOlt7Im5hbWUiOiJGRUFUVVJFX05BTUVfRU1BSUxfQVVUSCIsInZhbHVlIjpudWxsfV0sIndhbGxldHMiOlt7IndhbGxldElkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwid2FsbGV0TmFtZSI6InRyZWFzdXJ5IiwiZXhwb3J0ZWQiOmZhbHNlLCJpbXBvcnRlZCI6ZmFsc2UsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5cyI6W3sicHJpdmF0ZUtleUlkIjoiOGQzZjRlNWEtOWM3Ni00Y2EwLThiNzAtMmYzYzRkNWU2ZjcwIiwicHJpdmF0ZUtleU5hbWUiOiJob3QiLCJjdXJ2ZSI6IkNVUlZFX0VEMjU1MTkiLCJwcml2YXRlS2V5VGFncyI6W10sImV4cG9ydGVkIjpmYWxzZSwiaW1wb3J0ZWQiOmZhbHNlLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwiY2xvc2VkIjpbeyJmaW5nZXJwcmludCI6InNoYTI1NjowMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxIiwidW50aWxNcyI6MTc2NzIyOTIwMDAwMH1dfb+r3nRM+f+xZuaEc2Dc3nk7iUbOelRate74hndhijfA";

const schema2 =
  "S0hSMQAAAAEAAACfeyJ0eXBlIjoib3JnYW5pemF0aW9uIiwic2NoZW1hIjoyLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwidmVyc2lvbiI6OCwia2V5RXBvY2giOjF9AAAG83sib3JnYW5pemF0aW9uSWQiOiI1ZjdjMGM2YS0xZjJhLTRmMGUtOWQyYy04YjhmMGE0ZjFjMTEiLCJvcmdhbml6YXRpb25OYW1lIjoiQWNtZSIsInBhcmVudE9yZ2FuaXphdGlvbklkIjpudWxsLCJwcmV2aW91c0RpZ2VzdCI6ImFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWIiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsInVzZXJzIjpbeyJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJ1c2VyTmFtZSI6IkFkYSIsInVzZXJFbWFpbCI6ImFkYUBleGFtcGxlLmNvbSIsInVzZXJQaG9uZU51bWJlciI6bnVsbCwiYXBpS2V5cyI6W3siYXBpS2V5SWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJhcGlLZXlOYW1lIjoibGFwdG9wIiwiY3JlZGVudGlhbCI6eyJwdWJsaWNLZXkiOiIwMmM2MDQ3Zjk0NDFlZDdkNmQzMDQ1NDA2ZTk1YzA3Y2Q4NWM3NzhlNGI4Y2VmM2NhN2FiYWMwOWI5NWM3MDllZTUiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJ1c2VyVGFncyI6WyJhZjUxNjA3Yy1iZTk4LTRlYzItOGQ5Mi00MTVlNmY3MDgxOTIiXSwic2Vzc2lvbkVwb2NoIjoyLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwidXNlclRhZ3MiOlt7InRhZ0lkIjoiYWY1MTYwN2MtYmU5OC00ZWMyLThkOTItNDE1ZTZmNzA4MTkyIiwidGFnTmFtZSI6ImFkbWlucyIsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5VGFncyI6W10sInJvb3RRdW9ydW0iOnsidGhyZXNob2xkIjoxLCJ1c2VySWRzIjpbIjZiMWYyYzNkLTdhNTQtNGE4ZS04ZjVlLTBkMWEyYjNjNGQ1ZSJdfSwiZmVhdHVyZXMiOlt7Im5hbWUiOiJGRUFUVVJFX05BTUVfRU1BSUxfQVVUSCIsInZhbHVlIjpudWxsfV0sIndhbGxldHMiOlt7IndhbGxldElkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwid2FsbGV0TmFtZSI6InRyZWFzdXJ5IiwiZXhwb3J0ZWQiOmZhbHNlLCJpbXBvcnRlZCI6ZmFsc2UsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5cyI6W3sicHJpdmF0ZUtleUlkIjoiOGQzZjRlNWEtOWM3Ni00Y2EwLThiNzAtMmYzYzRkNWU2ZjcwIiwicHJpdmF0ZUtleU5hbWUiOiJob3QiLCJjdXJ2ZSI6IkNVUlZFX0VEMjU1MTkiLCJwcml2YXRlS2V5VGFncyI6W10sImV4cG9ydGVkIjpmYWxzZSwiaW1wb3J0ZWQiOmZhbHNlLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwiY2xvc2VkIjpbeyJmaW5nZXJwcmludCI6InNoYTI1NjowMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxIiwidW50aWxNcyI6MTc2NzIyOTIwMDAwMH1dLCJkZWNpZGVkIjpbeyJmaW5nZXJwcmludCI6InNoYTI1NjowMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9XSwiZGVjaWRlZEJlZm9yZU1zIjoxNzY3MjI1NTk5OTk1fUiv/5ASFMwJlQ7YXcY563ujFg3+RYZxl+XC5J2CnnYH";

const schema3 =
  "S0hSMQAAAAEAAACfeyJ0eXBlIjoib3JnYW5pemF0aW9uIiwic2NoZW1hIjozLCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwidmVyc2lvbiI6OSwia2V5RXBvY2giOjF9AAAJt3sib3JnYW5pemF0aW9uSWQiOiI1ZjdjMGM2YS0xZjJhLTRmMGUtOWQyYy04YjhmMGE0ZjFjMTEiLCJvcmdhbml6YXRpb25OYW1lIjoiQWNtZSIsInBhcmVudE9yZ2FuaXphdGlvbklkIjpudWxsLCJwcmV2aW91c0RpZ2VzdCI6ImFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWIiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDEsInVzZXJzIjpbeyJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJ1c2VyTmFtZSI6IkFkYSIsInVzZXJFbWFpbCI6ImFkYUBleGFtcGxlLmNvbSIsInVzZXJQaG9uZU51bWJlciI6bnVsbCwiYXBpS2V5cyI6W3siYXBpS2V5SWQiOiI5ZTQwNWY2Yi1hZDg3LTRkYjEtOWM4MS0zMDRkNWU2ZjcwODEiLCJhcGlLZXlOYW1lIjoibGFwdG9wIiwiY3JlZGVudGlhbCI6eyJwdWJsaWNLZXkiOiIwMmM2MDQ3Zjk0NDFlZDdkNmQzMDQ1NDA2ZTk1YzA3Y2Q4NWM3NzhlNGI4Y2VmM2NhN2FiYWMwOWI5NWM3MDllZTUiLCJ0eXBlIjoiQ1JFREVOVElBTF9UWVBFX0FQSV9LRVlfU0VDUDI1NksxIn0sImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJ1c2VyVGFncyI6WyJhZjUxNjA3Yy1iZTk4LTRlYzItOGQ5Mi00MTVlNmY3MDgxOTIiXSwic2Vzc2lvbkVwb2NoIjoyLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwidXNlclRhZ3MiOlt7InRhZ0lkIjoiYWY1MTYwN2MtYmU5OC00ZWMyLThkOTItNDE1ZTZmNzA4MTkyIiwidGFnTmFtZSI6ImFkbWlucyIsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5VGFncyI6W10sInJvb3RRdW9ydW0iOnsidGhyZXNob2xkIjoxLCJ1c2VySWRzIjpbIjZiMWYyYzNkLTdhNTQtNGE4ZS04ZjVlLTBkMWEyYjNjNGQ1ZSJdfSwiZmVhdHVyZXMiOlt7Im5hbWUiOiJGRUFUVVJFX05BTUVfRU1BSUxfQVVUSCIsInZhbHVlIjpudWxsfV0sIndhbGxldHMiOlt7IndhbGxldElkIjoiN2MyZTNkNGYtOGI2NS00YjlmLTlhNmYtMWUyYjNjNGQ1ZTZmIiwid2FsbGV0TmFtZSI6InRyZWFzdXJ5IiwiZXhwb3J0ZWQiOmZhbHNlLCJpbXBvcnRlZCI6ZmFsc2UsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwLCJ1cGRhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMX1dLCJwcml2YXRlS2V5cyI6W3sicHJpdmF0ZUtleUlkIjoiOGQzZjRlNWEtOWM3Ni00Y2EwLThiNzAtMmYzYzRkNWU2ZjcwIiwicHJpdmF0ZUtleU5hbWUiOiJob3QiLCJjdXJ2ZSI6IkNVUlZFX0VEMjU1MTkiLCJwcml2YXRlS2V5VGFncyI6W10sImV4cG9ydGVkIjpmYWxzZSwiaW1wb3J0ZWQiOmZhbHNlLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwicG9saWNpZXMiOlt7InBvbGljeUlkIjoiNGIwZDFlMmYtNmE3MS00YzgyLTliOTMtMGMxZDJlM2Y0YTViIiwicG9saWN5TmFtZSI6InNtYWxsIHRyYW5zZmVycyIsImVmZmVjdCI6IkVGRkVDVF9BTExPVyIsImNvbmRpdGlvbiI6ImV0aC50eC52YWx1ZSA8IDEwMDAwMDAwMDAwMDAwMDAwMDAiLCJjb25zZW5zdXMiOiJhcHByb3ZlcnMuYW55KHUsIHUudGFncy5jb250YWlucygnYWY1MTYwN2MtYmU5OC00ZWMyLThkOTItNDE1ZTZmNzA4MTkyJykpIiwidGltZSI6bnVsbCwibm90ZXMiOiIiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwic21hcnRDb250cmFjdEludGVyZmFjZXMiOlt7InNtYXJ0Q29udHJhY3RJbnRlcmZhY2VJZCI6IjVjMWUyZjMwLTdiODItNGQ5My04Y2E0LTFkMmUzZjRhNWI2YyIsInNtYXJ0Q29udHJhY3RBZGRyZXNzIjoiMHhBMGI4Njk5MWM2MjE4YjM2YzFkMTlENGEyZTlFYjBjRTM2MDZlQjQ4IiwidHlwZSI6IlNNQVJUX0NPTlRSQUNUX0lOVEVSRkFDRV9UWVBFX0VUSEVSRVVNIiwibGFiZWwiOiJkb2xsYXIiLCJub3RlcyI6IiIsImRpZ2VzdCI6ImNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2QiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwiY2xvc2VkIjpbeyJmaW5nZXJwcmludCI6InNoYTI1NjowMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxIiwidW50aWxNcyI6MTc2NzIyOTIwMDAwMH1dLCJkZWNpZGVkIjpbeyJmaW5nZXJwcmludCI6InNoYTI1NjowMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDB9XSwiZGVjaWRlZEJlZm9yZU1zIjoxNzY3MjI1NTk5OTk1fS/3ut3Z10LoQg5Jjafjr2Z/VMF6o7gaU3uyHTJfoHT7";

const schema4 =
  "S0hSMQAAAAEAAACgeyJ0eXBlIjoib3JnYW5pemF0aW9uIiwic2NoZW1hIjo0LCJvcmdhbml6YXRpb25JZCI6IjVmN2MwYzZhLTFmMmEtNGYwZS05ZDJjLThiOGYwYTRmMWMxMSIsImlkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwidmVyc2lvbiI6MTAsImtleUVwb2NoIjoxfQAACnp7Im9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwib3JnYW5pemF0aW9uTmFtZSI6IkFjbWUiLCJwYXJlbnRPcmdhbml6YXRpb25JZCI6bnVsbCwicHJldmlvdXNEaWdlc3QiOiJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInVwZGF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAxLCJ1c2VycyI6W3sidXNlcklkIjoiNmIxZjJjM2QtN2E1NC00YThlLThmNWUtMGQxYTJiM2M0ZDVlIiwidXNlck5hbWUiOiJBZGEiLCJ1c2VyRW1haWwiOiJhZGFAZXhhbXBsZS5jb20iLCJ1c2VyUGhvbmVOdW1iZXIiOm51bGwsImFwaUtleXMiOlt7ImFwaUtleUlkIjoiOWU0MDVmNmItYWQ4Ny00ZGIxLTljODEtMzA0ZDVlNmY3MDgxIiwiYXBpS2V5TmFtZSI6ImxhcHRvcCIsImNyZWRlbnRpYWwiOnsicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwidHlwZSI6IkNSRURFTlRJQUxfVFlQRV9BUElfS0VZX1NFQ1AyNTZLMSJ9LCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwidXNlclRhZ3MiOlsiYWY1MTYwN2MtYmU5OC00ZWMyLThkOTItNDE1ZTZmNzA4MTkyIl0sInNlc3Npb25FcG9jaCI6MiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInVwZGF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAxfV0sInVzZXJUYWdzIjpbeyJ0YWdJZCI6ImFmNTE2MDdjLWJlOTgtNGVjMi04ZDkyLTQxNWU2ZjcwODE5MiIsInRhZ05hbWUiOiJhZG1pbnMiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwicHJpdmF0ZUtleVRhZ3MiOltdLCJyb290UXVvcnVtIjp7InRocmVzaG9sZCI6MSwidXNlcklkcyI6WyI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiXX0sImZlYXR1cmVzIjpbeyJuYW1lIjoiRkVBVFVSRV9OQU1FX0VNQUlMX0FVVEgiLCJ2YWx1ZSI6bnVsbH1dLCJ3YWxsZXRzIjpbeyJ3YWxsZXRJZCI6IjdjMmUzZDRmLThiNjUtNGI5Zi05YTZmLTFlMmIzYzRkNWU2ZiIsIndhbGxldE5hbWUiOiJ0cmVhc3VyeSIsImV4cG9ydGVkIjpmYWxzZSwiaW1wb3J0ZWQiOmZhbHNlLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXBkYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDF9XSwicHJpdmF0ZUtleXMiOlt7InByaXZhdGVLZXlJZCI6IjhkM2Y0ZTVhLTljNzYtNGNhMC04YjcwLTJmM2M0ZDVlNmY3MCIsInByaXZhdGVLZXlOYW1lIjoiaG90IiwiY3VydmUiOiJDVVJWRV9FRDI1NTE5IiwicHJpdmF0ZUtleVRhZ3MiOltdLCJleHBvcnRlZCI6ZmFsc2UsImltcG9ydGVkIjpmYWxzZSwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInVwZGF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAxfV0sInBvbGljaWVzIjpbeyJwb2xpY3lJZCI6IjRiMGQxZTJmLTZhNzEtNGM4Mi05YjkzLTBjMWQyZTNmNGE1YiIsInBvbGljeU5hbWUiOiJzbWFsbCB0cmFuc2ZlcnMiLCJlZmZlY3QiOiJFRkZFQ1RfQUxMT1ciLCJjb25kaXRpb24iOiJldGgudHgudmFsdWUgPCAxMDAwMDAwMDAwMDAwMDAwMDAwIiwiY29uc2Vuc3VzIjoiYXBwcm92ZXJzLmFueSh1LCB1LnRhZ3MuY29udGFpbnMoJ2FmNTE2MDdjLWJlOTgtNGVjMi04ZDkyLTQxNWU2ZjcwODE5MicpKSIsInRpbWUiOm51bGwsIm5vdGVzIjoiIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInVwZGF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAxfV0sInNtYXJ0Q29udHJhY3RJbnRlcmZhY2VzIjpbeyJzbWFydENvbnRyYWN0SW50ZXJmYWNlSWQiOiI1YzFlMmYzMC03YjgyLTRkOTMtOGNhNC0xZDJlM2Y0YTViNmMiLCJzbWFydENvbnRyYWN0QWRkcmVzcyI6IjB4QTBiODY5OTFjNjIxOGIzNmMxZDE5RDRhMmU5RWIwY0UzNjA2ZUI0OCIsInR5cGUiOiJTTUFSVF9DT05UUkFDVF9JTlRFUkZBQ0VfVFlQRV9FVEhFUkVVTSIsImxhYmVsIjoiZG9sbGFyIiwibm90ZXMiOiIiLCJkaWdlc3QiOiJjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkY2RjZGNkIiwiY3JlYXRlZEF0TXMiOjE3NjcyMjU2MDAwMDAsInVwZGF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAxfV0sImNsb3NlZCI6W3siZmluZ2VycHJpbnQiOiJzaGEyNTY6MDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMTAxMDEwMSIsInVudGlsTXMiOjE3NjcyMjkyMDAwMDAsInVzZXJJZCI6IjZiMWYyYzNkLTdhNTQtNGE4ZS04ZjVlLTBkMWEyYjNjNGQ1ZSIsImlzT3duIjp0cnVlfV0sImRlY2lkZWQiOlt7ImZpbmdlcnByaW50Ijoic2hhMjU2OjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIwMjAyMDIiLCJjcmVhdGVkQXRNcyI6MTc2NzIyNTYwMDAwMCwidXNlcklkIjoiNmIxZjJjM2QtN2E1NC00YThlLThmNWUtMGQxYTJiM2M0ZDVlIn1dLCJkZWNpZGVkQmVmb3JlTXMiOjE3NjcyMjU1OTk5OTUsImxhcHNlZCI6W3sidXNlcklkIjoiNmIxZjJjM2QtN2E1NC00YThlLThmNWUtMGQxYTJiM2M0ZDVlIiwiYmVmb3JlTXMiOjE3NjcyMjU1OTk5OTZ9XX091wb8bqxDi1dzQCKC32+VWlZYtpeozStzWlcPNucWbA==";

const beforeUsers = {
  ...document,
  closed: document.closed.map((line) => ({ ...line, userId: null, isOwn: false })),
  decided: document.decided.map((line) => ({ ...line, userId: null })),
  lapsed: [],
};

const beforePolicies = { ...beforeUsers, policies: [], smartContractInterfaces: [] };

test("a document of schema 4 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(schema4));
  expect(record.header).toMatchObject({ schema: 4, version: 10, organizationId });
  expect(upcast(organization, record)).toEqual(document);
});

test("a document of schema 3 does not say whose activities it remembers", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(schema3));
  expect(record.header).toMatchObject({ schema: 3, version: 9, organizationId });
  expect(upcast(organization, record)).toEqual(beforeUsers);
});

test("a document of schema 2 has no policies", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(schema2));
  expect(record.header).toEqual({
    type: "organization",
    schema: 2,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    version: 8,
    keyEpoch: 1,
  });
  expect(upcast(organization, record)).toEqual(beforePolicies);
});

test("a document of schema 1 remembers no decided activities", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(schema1));
  expect(record.header).toMatchObject({ schema: 1, version: 7, organizationId });
  expect(upcast(organization, record)).toEqual({
    ...beforePolicies,
    decided: [],
    decidedBeforeMs: 0,
  });
});

test("a user is found by its id", () => {
  const [user] = document.users;
  expect(findUser(document, "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e")).toBe(user);
  expect(findUser(document, organizationId)).toBeUndefined();
});
