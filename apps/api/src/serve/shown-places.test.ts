import fc from "fast-check";
import { expect, test } from "vitest";
import { namesPlaces, shownDirectory, showPlaces } from "./shown-places.ts";

const elsewhere = { publicUrl: "https://keys.example.com", dataDirectory: "/srv/keys" };

test.each([
  ['href="http://localhost:3000/concepts/"', 'href="https://keys.example.com/concepts/"'],
  ["http://localhost:3000", "https://keys.example.com"],
  ["turnkey --host localhost:3000, which", "turnkey --host keys.example.com, which"],
  [`"$\{KEY:-data/root-api-key.json}"`, `"$\{KEY:-/srv/keys/root-api-key.json}"`],
  ["$(cat ./data/mailbox-token)", "$(cat /srv/keys/mailbox-token)"],
  [`"../../data/root-api-key.json"`, `"/srv/keys/root-api-key.json"`],
  [
    JSON.stringify("lines\nlocalhost:3000\tdata/root-api-key.json\n../data/mailbox-token"),
    JSON.stringify("lines\nkeys.example.com\t/srv/keys/root-api-key.json\n/srv/keys/mailbox-token"),
  ],
])("%s names a place of the service", (built, shown) => {
  expect(namesPlaces(built)).toBe(true);
  expect(showPlaces(built, elsewhere)).toBe(shown);
  expect(showPlaces(built, { publicUrl: "http://localhost:3000", dataDirectory: null })).toBe(
    built,
  );
});

test.each([
  "http://localhost:30001/ is another port",
  "http://notlocalhost:3000.example/",
  "/backup/data/root-api-key.json",
  "my-data/root-api-key.json",
  "data/pglite",
  "metadata/mailbox-token",
])("%s names none", (text) => {
  expect(namesPlaces(text)).toBe(false);
  expect(showPlaces(text, elsewhere)).toBe(text);
});

test("a program below the folder of the service goes up to it", () => {
  const shown = { publicUrl: "http://localhost:3000", dataDirectory: "run/keys" };
  expect(showPlaces("../../data/mailbox-token", shown)).toBe("../../run/keys/mailbox-token");
  expect(showPlaces("./data/mailbox-token", shown)).toBe("run/keys/mailbox-token");
});

test("an address or a path that would have to be quoted leaves what was built", () => {
  const text = "http://localhost:3000 data/root-api-key.json";
  expect(showPlaces(text, { publicUrl: "http://a$&'b", dataDirectory: null })).toBe(text);
  const start = { dataDirectory: "/home/me/it's data", isForDeveloper: true };
  expect(shownDirectory(start, "/home/me")).toBeNull();
});

test("what is shown depends on nothing but the places, and is shown once", () => {
  const words = fc.constantFrom(
    "http://localhost:3000",
    "localhost:3000",
    "data/root-api-key.json",
    "./data/mailbox-token",
    "/",
    "x",
    " ",
    '"',
  );
  fc.assert(
    fc.property(fc.array(words), (parts) => {
      const shown = showPlaces(parts.join(" "), elsewhere);
      expect(namesPlaces(shown)).toBe(false);
      expect(showPlaces(shown, elsewhere)).toBe(shown);
    }),
  );
});

test("a developer sees the data directory from where the service was started", () => {
  const from = (dataDirectory: string) =>
    shownDirectory({ dataDirectory, isForDeveloper: true }, "/home/me/app");
  expect(from("/home/me/app/data")).toBe("data");
  expect(from("/home/me/app/run/keys")).toBe("run/keys");
  expect(from("/home/me/other")).toBe("/home/me/other");
  expect(from("/home/me/app")).toBe("/home/me/app");
  expect(from("/home/me/app/..data")).toBe("..data");
});

test("nobody else is told a path of the machine", () => {
  expect(shownDirectory({ dataDirectory: "/srv/keys", isForDeveloper: false }, "/")).toBeNull();
});
