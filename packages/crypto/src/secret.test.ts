import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { type Secret, secret } from "./secret.ts";

const password: Secret = secret("hunter2");

test("a secret is shown by nothing but open", () => {
  const holder = { database: { password, list: [password] } };
  const texts = [
    String(password),
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true }),
    format("%s %o %O %j", password, password, holder, holder),
    JSON.stringify(structuredClone(password)),
    Object.entries(password).join(),
  ];
  for (const text of texts) expect(text).not.toContain("hunter2");
  expect(JSON.stringify(holder)).toBe('{"database":{"password":"[secret]","list":["[secret]"]}}');
  expect(inspect(password)).toBe("[secret]");
  expect(password.open()).toBe("hunter2");
});

test("the compiler refuses a secret in texts, and where text is expected", () => {
  // @ts-expect-error in a template
  expect(`smtp://${password}`).toBe("smtp://[secret]");
  let sum = "smtp://";
  // @ts-expect-error in a sum
  sum += password;
  expect(sum).toBe("smtp://[secret]");
  // @ts-expect-error as text
  const text: string = password;
  expect(String(text)).toBe("[secret]");
  // @ts-expect-error text as a secret
  const plain: Secret = "hunter2";
  expect(plain).toBe("hunter2");
});
