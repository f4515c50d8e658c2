import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";

/** The export of receipts, as the contract shows it. */

/** A real export, which verifies with the quorum key of the test vectors. */
const example = {
  version: "keyhearth.receipts.v1" as const,
  organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
  receiptKey: {
    publicKey: "038104c2d6bbe51b0f613985fb5553d8bfad70f40b49d2347d519f36aafe18460e",
    payload:
      '{"publicKey":"038104c2d6bbe51b0f613985fb5553d8bfad70f40b49d2347d519f36aafe18460e","type":"keyhearth.receipt-key.v1"}',
    signature:
      "250bb64af6f3fefb4fe97e69361edc1fe0513862af996050a275de57973087e9d305da372a9196e02b0b6ead85dee27cb0f65f3f3869fe1339610c6e64228cc1",
  },
  segments: [
    {
      payload:
        '{"documentDigest":"9f825a609ed0cab254b05b92b776bcfa3d50bf0299e87ad7e35f397044561447","documentVersion":1,"merkleRoot":"a962c57b42f77fa2a9f6c03cdabc8e294beb16fb011818b7c1d7b574fe7ce5da","number":1,"organizationId":"5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11","previousDigest":null,"size":1,"type":"keyhearth.segment.v1"}',
      signature:
        "09a3d5dbe4cdd0a2dfd61d28badac05b1ce47a0b0b47ff5d6af1d44d3ef12ab5a9db68b4098463b6390b7dd23b21b63cee57705606504cbc1919279792f1453c",
    },
  ],
  receipts: [
    {
      statement:
        '{"activityId":"019b76da-a800-7000-8000-000000000000","activityType":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","activityVersion":1,"documentDigest":"9f825a609ed0cab254b05b92b776bcfa3d50bf0299e87ad7e35f397044561447","documentVersion":1,"fingerprint":"sha256:b97b1fab899386d987211e51f77f08b8bfc67742a06521deacbd7104e5e3bdb4","organizationId":"5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11","resultDigest":"d39e7261cd6b26936d182bceb9e20914ba66ce330a72893dda41bf6a298f9b28","status":"ACTIVITY_STATUS_COMPLETED","timestampMs":"1767225600000","type":"keyhearth.activity.v1"}',
      segment: 1,
      index: 0,
      path: [],
    },
  ],
};
const { receiptKey, segments, receipts } = example;

const ReceiptKeyCertificate = z
  .object({
    publicKey: z.string().describe("The receipt key: a compressed P-256 point, hex."),
    payload: z.string().describe("The exact text that the quorum key signed."),
    signature: z
      .string()
      .describe("Signature over `payload` by the quorum key: r followed by s, 64 bytes as hex."),
  })
  .describe("The key that signs segments, certified by the quorum key.")
  .meta({ id: "ReceiptKeyCertificate", examples: [receiptKey] });

const SignedSegment = z
  .object({
    payload: z
      .string()
      .describe(
        "The exact text that was signed: organization, number, digest of the previous segment, size, Merkle root, and version and digest of the organization's document.",
      ),
    signature: z
      .string()
      .describe("Signature over `payload` by the receipt key: r followed by s, 64 bytes as hex."),
  })
  .describe("A segment of the organization's log.")
  .meta({ id: "SignedSegment", examples: segments });

const Receipt = z
  .object({
    statement: z
      .string()
      .describe(
        "The exact text about the activity. Absent if a later version of the activity has replaced this one.",
      )
      .optional(),
    leafHash: z
      .string()
      .describe("Merkle leaf hash of the statement, hex. Present if the statement is absent.")
      .optional(),
    segment: z.int().meta({ format: "int64" }).describe("Number of the segment."),
    index: z.int().meta({ format: "int64" }).describe("Index of the leaf in the segment."),
    path: z
      .array(z.string())
      .describe("Merkle path from the leaf to the segment's root, each node as hex."),
  })
  .describe("A statement about an activity, or its hash, and its place in the log.")
  .meta({ id: "Receipt", examples: receipts });

export const ReceiptsFile = z
  .object({
    version: z.literal("keyhearth.receipts.v1").describe("Version of the format."),
    organizationId: OrganizationId,
    receiptKey: ReceiptKeyCertificate,
    segments: z.array(SignedSegment).describe("The segments, by number."),
    receipts: z.array(Receipt).describe("The receipts, by segment and index."),
  })
  .describe("Receipts of an organization, as a file that can be verified offline.")
  .meta({ id: "ReceiptsFile", examples: [example] });
