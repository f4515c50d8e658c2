import { expect, test } from "vitest";
import { assertMayOffer, assertOfRelease } from "./templates-origin.ts";

const archive = new TextEncoder().encode("abc");
const digest =
  "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
const url = "https://keys.example.com";

test("an archive is taken only if it is that of the command's release", () => {
  expect(() => assertOfRelease(archive, url, digest)).not.toThrow();
  expect(() => assertOfRelease(archive.slice(1), url, digest)).toThrow(
    expect.objectContaining({
      name: "Unverified",
      code: "UNVERIFIED",
      message: expect.stringContaining(`${url} offers is not that of this command's release`),
    }),
  );
});

test("a command without a digest makes apps of a service on this machine alone", () => {
  expect(() => assertMayOffer(url, digest)).not.toThrow();
  for (const own of [
    "http://localhost:3000",
    "http://127.0.0.1:1/public/v1",
    "http://[::1]:3000",
  ]) {
    expect(() => assertMayOffer(own), own).not.toThrow();
  }
  for (const other of [url, "http://127.0.0.1.example.com", "http://localhost.example.com"]) {
    expect(() => assertMayOffer(other), other).toThrow("code of http");
  }
});
