import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { canonicalJson } from "../encoding/canonical.ts";
import vectors from "../vectors/receipts.json" with { type: "json" };
import { leafHash } from "./merkle.ts";
import {
  compareReceipts,
  type ReceiptsFile,
  verifyReceipts,
  verifyReceiptsExcerpt,
} from "./receipt.ts";
import {
  activityStatement,
  certificate,
  digestOfText,
  organizationId,
  quorumPublicKey,
  quorumSecret,
  receiptSecret,
  receiptsFile,
  sealTexts,
  signText,
} from "./receipts.testing.ts";

const other = "6a8d1d7b-2b30-4f1f-8e3d-9c9f1b506d22";
const whole = receiptsFile([3, 1, 4]);

test("the frozen export verifies", () => {
  expect(verifyReceipts(vectors.file, vectors.quorumPublicKey)).toMatchObject({
    valid: true,
    problems: [],
    segments: 2,
    receipts: 4,
    leavesNotShown: 0,
    lastSegment: vectors.lastSegment,
  });
});

describe("a whole file", () => {
  test("verifies, and lists what it proves", () => {
    const report = verifyReceipts(whole, quorumPublicKey);
    const [first] = whole.segments;
    const last = whole.segments.at(-1);
    expect(report).toEqual({
      valid: true,
      problems: [],
      organizationId,
      segments: 3,
      receipts: 8,
      firstSegment: { number: 1, digest: digestOfText(first?.payload ?? "") },
      lastSegment: { number: 3, digest: digestOfText(last?.payload ?? "") },
      leavesNotShown: 0,
      statements: whole.receipts.map((entry) =>
        JSON.parse("statement" in entry ? entry.statement : ""),
      ),
    });
  });

  test("without receipts it proves the chain, and counts the leaves that it does not show", () => {
    const report = verifyReceipts({ ...whole, receipts: [] }, quorumPublicKey);
    expect(report).toMatchObject({ valid: true, segments: 3, receipts: 0, leavesNotShown: 8 });
  });

  test("a hash instead of its statement is proven as a hash", () => {
    const file = structuredClone(whole);
    const entry = file.receipts[1];
    if (!entry || !("statement" in entry)) throw new Error("a receipt without its statement");
    const { statement, ...place } = entry;
    file.receipts[1] = { ...place, leafHash: hashOf(statement) };
    const report = verifyReceipts(file, quorumPublicKey);
    expect(report).toMatchObject({ valid: true, receipts: 8 });
    expect(report.statements).toHaveLength(7);
    // It may hide what happened, unless an earlier version of an activity is due to it.
    expect(report.leavesNotShown).toBe(1);
  });

  test("an empty file is the beginning of a chain", () => {
    expect(verifyReceipts(receiptsFile([]), quorumPublicKey)).toMatchObject({
      valid: true,
      segments: 0,
      firstSegment: null,
      lastSegment: null,
    });
  });
});

describe("a file that starts later", () => {
  const later = {
    ...whole,
    segments: whole.segments.slice(1),
    receipts: whole.receipts.filter(({ segment }) => segment > 1),
  };
  const before = digestOfText(whole.segments[0]?.payload ?? "");

  test("is refused unless the previous segment is named", () => {
    expect(codes(verifyReceipts(later, quorumPublicKey))).toEqual(["START_UNEXPECTED"]);
    expect(verifyReceipts(later, quorumPublicKey, { from: before }).valid).toBe(true);
    const wrong = verifyReceipts(later, quorumPublicKey, { from: digestOfText("other") });
    expect(codes(wrong)).toEqual(["START_UNEXPECTED"]);
    expect(codes(verifyReceipts(whole, quorumPublicKey, { from: before }))).toEqual([
      "START_UNEXPECTED",
    ]);
  });
});

describe("an excerpt", () => {
  const excerpt = {
    ...whole,
    segments: [whole.segments[0], whole.segments[2]],
    receipts: [whole.receipts[0], whole.receipts[7]],
  };

  test("proves its receipts without the segments in between", () => {
    expect(verifyReceiptsExcerpt(excerpt, quorumPublicKey)).toMatchObject({
      valid: true,
      receipts: 2,
    });
    expect(codes(verifyReceipts(excerpt, quorumPublicKey))).toEqual(["SEGMENT_MISSING"]);
  });

  test("of neighbours that do not fit is refused", () => {
    const second = sealTexts(2, digestOfText("another first"), ["x"]).segment;
    const file = { ...whole, segments: [whole.segments[0], second], receipts: [] };
    expect(codes(verifyReceiptsExcerpt(file, quorumPublicKey))).toEqual(["CHAIN_BROKEN"]);
  });
});

describe("what a dishonest service could export", () => {
  test("a fork: two segments with the same number", () => {
    const first = digestOfText(whole.segments[0]?.payload ?? "");
    const fork = sealTexts(2, first, [canonicalJson(activityStatement(77))]);
    const report = verifyReceipts(
      { ...whole, segments: [...whole.segments.slice(0, 2), fork.segment, whole.segments[2]] },
      quorumPublicKey,
    );
    expect(report.problems).toEqual([
      {
        code: "SEGMENTS_FORKED",
        message: "there are two different segments 2: the chain was forked",
        segment: 2,
      },
    ]);
  });

  test("a segment in the place of another", () => {
    const first = digestOfText(whole.segments[0]?.payload ?? "");
    const fork = sealTexts(2, first, [canonicalJson(activityStatement(77))]);
    const report = verifyReceipts(
      { ...whole, segments: [whole.segments[0], fork.segment, whole.segments[2]] },
      quorumPublicKey,
    );
    expect(codes(report)).toEqual(["CHAIN_BROKEN", "RECEIPT_PATH_INVALID"]);
  });

  test("a first segment that follows another, and a later one that follows none", () => {
    const odd = sealTexts(1, digestOfText("nothing"), ["x"]).segment;
    const headless = sealTexts(2, null, ["x"]).segment;
    const base = { ...whole, receipts: [] };
    expect(codes(verifyReceipts({ ...base, segments: [odd] }, quorumPublicKey))).toEqual([
      "START_UNEXPECTED",
      "CHAIN_BROKEN",
    ]);
    expect(codes(verifyReceipts({ ...base, segments: [headless] }, quorumPublicKey))).toEqual([
      "CHAIN_BROKEN",
    ]);
  });

  test("two statements about the same version of an activity", () => {
    const texts = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_REJECTED"].map((status) =>
      canonicalJson(activityStatement(1, { status })),
    );
    expect(codes(verifyReceipts(fileOf(sealTexts(1, null, texts)), quorumPublicKey))).toEqual([
      "STATEMENTS_CONFLICT",
    ]);
  });

  test("two documents with the same version, and a document older than the one before", () => {
    const documentDigest = digestOfText("another document");
    const forked = [activityStatement(1), activityStatement(2, { documentDigest })];
    const newer = [activityStatement(1, { documentVersion: 2 })];
    for (const statements of [forked, newer]) {
      const file = fileOf(sealTexts(1, null, statements.map(canonicalJson)));
      expect(codes(verifyReceipts(file, quorumPublicKey))).toEqual(["DOCUMENTS_CONFLICT"]);
    }
    const first = sealTexts(1, null, ["x"], { documentVersion: 3, documentDigest });
    const second = sealTexts(2, first.digest, ["y"]);
    const file = { ...whole, segments: [first.segment, second.segment], receipts: [] };
    expect(codes(verifyReceipts(file, quorumPublicKey))).toEqual(["DOCUMENTS_CONFLICT"]);
  });

  test("the same statement sealed twice", () => {
    const text = canonicalJson(activityStatement(1));
    const first = sealTexts(1, null, [text]);
    const second = sealTexts(2, first.digest, [text]);
    const file = {
      ...whole,
      segments: [first.segment, second.segment],
      receipts: [...first.receipts, ...second.receipts],
    };
    expect(codes(verifyReceipts(file, quorumPublicKey))).toEqual(["RECEIPT_REPEATED"]);
  });

  test("segments and statements of another organization", () => {
    const text = canonicalJson(activityStatement(1, { organizationId: other }));
    expect(codes(verifyReceipts(fileOf(sealTexts(1, null, [text])), quorumPublicKey))).toEqual([
      "OTHER_ORGANIZATION",
    ]);
    const foreign = sealTexts(1, null, [text], { organizationId: other });
    expect(codes(verifyReceipts(fileOf(foreign), quorumPublicKey))).toEqual([
      "OTHER_ORGANIZATION",
      "RECEIPT_SEGMENT_MISSING",
    ]);
    expect(verifyReceipts({ ...whole, organizationId: other }, quorumPublicKey).valid).toBe(false);
  });

  test("a receipt key that the quorum key did not certify", () => {
    const stolen = { ...certificate(), ...signText(certificate().payload, receiptSecret) };
    const foreign = certificate(quorumSecret);
    const mixed = { ...certificate(), publicKey: foreign.publicKey };
    for (const receiptKey of [stolen, mixed, certificate(receiptSecret, receiptSecret)]) {
      const report = verifyReceipts({ ...whole, receiptKey }, quorumPublicKey);
      expect(codes(report)).toEqual(["RECEIPT_KEY_NOT_CERTIFIED"]);
    }
    // Another certified key has not signed these segments.
    const report = verifyReceipts({ ...whole, receiptKey: foreign }, quorumPublicKey);
    expect(new Set(codes(report))).toEqual(
      new Set(["SEGMENT_SIGNATURE_INVALID", "RECEIPT_SEGMENT_MISSING"]),
    );
  });

  test("signed texts that are not segments", () => {
    const sealed = sealTexts(1, null, ["x"]);
    const value = JSON.parse(sealed.segment.payload);
    for (const text of [
      "",
      "null",
      "x",
      ` ${sealed.segment.payload}`,
      canonicalJson({ ...value, more: 1 }),
      canonicalJson({ ...value, size: 0 }),
      canonicalJson({ ...value, number: "1" }),
      canonicalJson({ ...value, merkleRoot: value.merkleRoot.toUpperCase() }),
    ]) {
      const file = { ...whole, segments: [signText(text, receiptSecret)], receipts: [] };
      expect(codes(verifyReceipts(file, quorumPublicKey))).toEqual(["SEGMENT_MALFORMED"]);
    }
  });

  test("a sealed text that is not a statement", () => {
    const file = fileOf(sealTexts(1, null, ["{}"]));
    expect(codes(verifyReceipts(file, quorumPublicKey))).toEqual(["RECEIPT_MALFORMED"]);
  });
});

describe("two exports compared", () => {
  test("an older and a newer export of one chain agree", () => {
    const older = { ...whole, segments: whole.segments.slice(0, 2), receipts: [] };
    const rest = { ...whole, segments: whole.segments.slice(2), receipts: [] };
    expect(compareReceipts(older, whole, quorumPublicKey)).toEqual({
      valid: true,
      problems: [],
      compared: 2,
    });
    // The later file names the last segment of the earlier one.
    expect(compareReceipts(older, rest, quorumPublicKey)).toMatchObject({
      valid: true,
      compared: 1,
    });
  });

  test("two histories are a fork, although each is complete", () => {
    const first = digestOfText(whole.segments[0]?.payload ?? "");
    const second = sealTexts(2, first, [canonicalJson(activityStatement(78))]);
    const third = sealTexts(3, second.digest, [canonicalJson(activityStatement(79))]);
    const forked = {
      ...whole,
      segments: [whole.segments[0], second.segment, third.segment],
      receipts: [],
    };
    expect(verifyReceipts(forked, quorumPublicKey).valid).toBe(true);
    const { valid, problems, compared } = compareReceipts(whole, forked, quorumPublicKey);
    expect({
      valid,
      compared,
      numbers: problems.map(({ code, segment }) => [code, segment]),
    }).toEqual({
      valid: false,
      compared: 3,
      numbers: [
        ["SEGMENTS_FORKED", 2],
        ["SEGMENTS_FORKED", 3],
      ],
    });
    const rest = { ...forked, segments: [third.segment] };
    const cut = { ...whole, segments: whole.segments.slice(0, 2), receipts: [] };
    expect(compareReceipts(cut, rest, quorumPublicKey).valid).toBe(false);
  });

  test("files of two organizations are not compared", () => {
    const foreign = { ...receiptsFile([]), organizationId: other };
    const { valid, problems } = compareReceipts(whole, foreign, quorumPublicKey);
    expect([valid, problems.map(({ code }) => code)]).toEqual([false, ["OTHER_ORGANIZATION"]]);
  });
});

describe("properties", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 4 });
  const files = new Map<string, ReceiptsFile>();
  const fileWith = (of: number[]) => {
    const key = of.join();
    const file = files.get(key) ?? receiptsFile(of);
    files.set(key, file);
    return file;
  };

  test("any flipped bit of any text or number is found", () => {
    const places = placesOf(whole);
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.nat(), (place, bit) => {
        const path = places[place] ?? [];
        const report = verifyReceipts(flipped(whole, path, bit), quorumPublicKey);
        expect([path, report.valid]).toEqual([path, false]);
      }),
      { numRuns: 300 },
    );
  });

  test("a segment that is removed before the end is found, and so is its receipt", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), (of, which) => {
        const file = fileWith(of);
        const cut = which % (of.length - 1);
        const segments = file.segments.filter((_, i) => i !== cut);
        const report = verifyReceipts({ ...file, segments }, quorumPublicKey);
        const expected = cut === 0 ? "START_UNEXPECTED" : "SEGMENT_MISSING";
        expect(codes(report)).toEqual([
          expected,
          ...Array.from({ length: of[cut] ?? 0 }, () => "RECEIPT_SEGMENT_MISSING"),
        ]);
      }),
      { numRuns: 40 },
    );
  });

  test("reordered segments are found", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (of, from, to) => {
        const file = fileWith(of);
        const segments = [...file.segments];
        const taken = segments.splice(from % of.length, 1);
        segments.splice(to % of.length, 0, ...taken);
        const isSame = from % of.length === to % of.length;
        const report = verifyReceipts({ ...file, segments }, quorumPublicKey);
        expect(new Set(codes(report))).toEqual(new Set(isSame ? [] : ["SEGMENTS_REORDERED"]));
      }),
      { numRuns: 40 },
    );
  });

  test("repeated segments and receipts are found", () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (of, which, where) => {
        const file = fileWith(of);
        const repeat = <T>(list: T[]) => {
          const copy = [...list];
          copy.splice(where % (list.length + 1), 0, list[which % list.length] as T);
          return copy;
        };
        const segments = { ...file, segments: repeat(file.segments) };
        expect(codes(verifyReceipts(segments, quorumPublicKey))).toContain("SEGMENT_REPEATED");
        const receipts = { ...file, receipts: repeat(file.receipts) };
        expect(codes(verifyReceipts(receipts, quorumPublicKey))).toEqual(["RECEIPT_REPEATED"]);
      }),
      { numRuns: 40 },
    );
  });

  test("nothing throws, whatever the file is", () => {
    fc.assert(
      fc.property(fc.anything(), fc.nat(), (value, which) => {
        const places = placesOf(whole);
        const path = places[which % places.length] ?? [];
        const changed = replaced(whole, path, value);
        // A file without receipts is one, and so is the same file.
        fc.pre(!isDeepStrictEqual(value, []) && !isDeepStrictEqual(changed, whole));
        for (const file of [value, changed]) {
          expect(verifyReceipts(file, quorumPublicKey).valid).toBe(false);
          expect(compareReceipts(file, whole, quorumPublicKey).problems).toBeInstanceOf(Array);
        }
      }),
      { numRuns: 100 },
    );
  });
});

test("a malformed quorum key is reported", () => {
  for (const key of [
    "",
    "zz",
    quorumPublicKey.slice(2),
    quorumPublicKey.toUpperCase(),
    quorumPublicKey.replace(/..$/, "00"),
    null as never as string,
  ]) {
    expect(codes(verifyReceipts(whole, key))).toEqual(["QUORUM_KEY_MALFORMED"]);
  }
  const swapped = quorumPublicKey.slice(130) + quorumPublicKey.slice(0, 130);
  expect(codes(verifyReceipts(whole, swapped))).toEqual(["RECEIPT_KEY_NOT_CERTIFIED"]);
});

function codes({ problems }: { problems: { code: string }[] }): string[] {
  return problems.map(({ code }) => code);
}

function fileOf({ segment, receipts }: ReturnType<typeof sealTexts>): ReceiptsFile {
  return { ...whole, segments: [segment], receipts };
}

function hashOf(statement: string): string {
  return encodeHex(leafHash(encodeUtf8(statement)));
}

type Place = (string | number)[];

/** The paths of the texts and numbers in a file. */
function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [at];
  return Object.entries(value).flatMap(([key, member]) => placesOf(member, [...at, key]));
}

function flipped(file: ReceiptsFile, path: Place, bit: number): unknown {
  return changed(file, path, (value) => {
    if (typeof value === "number") return value ^ (1 << (bit % 8));
    const text = String(value);
    const index = (bit >> 3) % text.length;
    const code = text.charCodeAt(index) ^ (1 << (bit & 7));
    return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1);
  });
}

function replaced(file: ReceiptsFile, path: Place, by: unknown): unknown {
  return changed(file, path, () => by);
}

function changed(value: unknown, path: Place, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.map((member, i) => (String(i) === key ? changed(member, rest, change) : member));
  }
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [
      name,
      name === key ? changed(member, rest, change) : member,
    ]),
  );
}
