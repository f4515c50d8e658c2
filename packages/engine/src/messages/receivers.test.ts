import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { activities } from "../activities/index.ts";
import { mailboxOf, receiverOf } from "./receivers.ts";

const mail = (recipient: string) => receiverOf({ kind: "email-code", recipient });
const sms = (recipient: string) => receiverOf({ kind: "sms-code", recipient });

describe("one receiver are", () => {
  test.each([
    ["addresses in any case", "ada@example.com", "ADA@Example.COM"],
    ["an address with a note after a plus", "ada@example.com", "ada+anything@example.com"],
    ["an address with several pluses", "ada@example.com", "ada+a+b@example.com"],
    ["dots in an address of Gmail", "adalovelace@gmail.com", "a.d.a.lovelace@gmail.com"],
    ["both names of Gmail", "ada@gmail.com", "a.da+x@googlemail.com"],
    ["both forms of a domain", "ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["a domain with a dot at its end", "ada@example.com", "ada@example.com."],
    ["letters in other widths", "ada@example.com", "ａda@example.com"],
  ])("%s", (_, one, other) => {
    expect(mail(one)).toBe(mail(other));
  });

  test("invitations, logins, recoveries and codes to one address", () => {
    const kinds = ["invitation", "email-login", "email-recovery", "email-code"] as const;
    const receivers = kinds.map((kind) => receiverOf({ kind, recipient: "ada@example.com" }));
    expect(new Set(receivers).size).toBe(1);
  });

  test("phone numbers however they are written", () => {
    expect(sms("+49 151-0000")).toBe(sms("+491510000"));
  });
});

test.each([
  ["ada@example.com", "bob@example.com"],
  ["ada@example.com", "ada@example.org"],
  // Elsewhere a dot makes another mailbox.
  ["a.da@example.com", "ada@example.com"],
  ["+ada@example.com", "+bob@example.com"],
  ["ada-x@example.com", "ada-y@example.com"],
])("%s and %s are two receivers", (one, other) => {
  expect(mail(one)).not.toBe(mail(other));
});

test("a phone number is no address", () => {
  expect(sms("+491510000")).not.toBe(mail("491510000"));
});

test("an address keeps its mailbox and its domain", () => {
  expect(mailboxOf("Ada.Lovelace+keys@Example.COM")).toBe("ada.lovelace@example.com");
});

test.each(activities)("$name says whom it sends something, if it does", async (activity) => {
  const { name, sendsTo, example } = activity;
  const file = join(import.meta.dirname, `../activities/${name.replaceAll("_", "-")}.ts`);
  const sends = /\b(sendOtp|mailCredential|context\.send)\(/.test(await readFile(file, "utf8"));
  expect(sendsTo !== undefined).toBe(sends);
  for (const { recipient } of sendsTo?.(example) ?? []) expect(recipient).toMatch(/@|^\+/);
});
