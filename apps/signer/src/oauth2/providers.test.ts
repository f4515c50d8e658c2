import { expect, test } from "vitest";
import { SignerStateError } from "../state/state-error.ts";
import { parseProviders } from "./providers.ts";

test("both providers are known by default, and `none` exchanges no codes", () => {
  expect(parseProviders().map(({ tokenUrl, userUrl }) => [tokenUrl, userUrl])).toEqual([
    ["https://api.x.com/2/oauth2/token", "https://api.x.com/2/users/me"],
    ["https://discord.com/api/v10/oauth2/token", "https://discord.com/api/v10/users/@me"],
  ]);
  for (const { allowPrivate } of parseProviders()) expect(allowPrivate).toEqual([]);
  expect(parseProviders("none")).toEqual([]);
  expect(parseProviders(" discord ").map(({ provider }) => provider)).toEqual([
    "OAUTH2_PROVIDER_DISCORD",
  ]);
});

test("a double is at another origin, and only `private:` allows a private one", () => {
  const [x, discord] = parseProviders(
    "x=https://x.example.com,discord=private:http://127.0.0.1:4000",
  );
  expect(x).toMatchObject({ tokenUrl: "https://x.example.com/2/oauth2/token", allowPrivate: [] });
  expect(discord).toMatchObject({
    userUrl: "http://127.0.0.1:4000/api/v10/users/@me",
    allowPrivate: ["127.0.0.1:4000"],
  });
});

test.each([
  "",
  "google",
  "x,",
  "x,x",
  "x=",
  "x=http://x.example.com",
  "x=https://x.example.com/",
  "x=https://x.example.com/path",
  "x=https://user@x.example.com",
  "x=private:ftp://127.0.0.1",
  "private:x",
  "X",
  "none,x",
])("`%s` is refused", (text) => {
  expect(() => parseProviders(text)).toThrow(SignerStateError);
  expect(() => parseProviders(text)).toThrow(/^KEYHEARTH_OAUTH2_PROVIDERS: /);
});
