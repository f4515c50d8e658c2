import { expect, test } from "vitest";
import { readLoginProviders } from "./login-providers.ts";

const read = (value?: string) =>
  readLoginProviders(value === undefined ? {} : { KEYHEARTH_LOGIN_PROVIDERS: value });

test("providers are read by their names", () => {
  expect(read()).toEqual([]);
  expect(read("acme=https://id.example.com/auth, local=http://127.0.0.1:4000/auth?a=b")).toEqual([
    { name: "acme", authorizationEndpoint: "https://id.example.com/auth" },
    { name: "local", authorizationEndpoint: "http://127.0.0.1:4000/auth?a=b" },
  ]);
});

test.each([
  "https://id.example.com/auth",
  "Acme=https://id.example.com/auth",
  "acme=http://id.example.com/auth",
  "acme=javascript:alert(1)",
  "acme=https://user@id.example.com/auth",
  "acme=https://id.example.com/auth#here",
  "acme=https://id.example.com/a,acme=https://id.example.com/b",
  "acme=",
])("%s is refused", (value) => {
  expect(() => read(value)).toThrow("KEYHEARTH_LOGIN_PROVIDERS");
});
