import { expect, test } from "vitest";
import { nameOf, namesIn, stemmerOf, wordsIn } from "./words.ts";

test("a name has the words that it is made of, however it is written", () => {
  for (const name of ["create_wallet", "createWallet", "CreateWallet", "create wallet"]) {
    expect(nameOf(name)).toBe("createwallet");
    expect(namesIn(name).flat()).toEqual(["create", "wallet"]);
  }
  expect(wordsIn("signRawPayload")).toEqual(["sign", "raw", "payload", "signrawpayload"]);
  expect(wordsIn("X-Stamp-WebAuthn")).toEqual(["x", "stamp", "web", "authn", "webauthn"]);
  expect(namesIn("HTTPServer")).toEqual([["http", "server"]]);
});

test("accents and what is between words do not count", () => {
  expect(wordsIn("¿Política de CONTRASEÑAS?")).toEqual(["politica", "de", "contrasenas"]);
  expect(wordsIn("  — ")).toEqual([]);
});

test("forms of a word have one stem, in each language", () => {
  const english = stemmerOf("en");
  expect(english("policies")).toBe(english("policy"));
  const spanish = stemmerOf("es");
  expect(spanish("firmas")).toBe(spanish("firmar"));
  expect(stemmerOf("fr")("politiques")).toBe("politiques");
});
