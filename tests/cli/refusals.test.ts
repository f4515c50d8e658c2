import { beforeAll, expect, test } from "vitest";
import { newPerson, type Person } from "./cli.ts";

// Commands whose other tests show what they do: here is how each refuses, in the form for programs.

const NOBODY = "5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11";

let person: Person;
beforeAll(async () => {
  person = await newPerson();
});

test.concurrent.each([
  [["address-formats", "ethereum"], 2, ""],
  [["export", "account", "0x00", "--print"], 4, "wallet account not found"],
  [["export", "private-key", NOBODY, "--print"], 4, "private key not found"],
  [["generate", "encryption-key", "../x"], 2, "the name of a key"],
  [["import", "finish", "x", "/none"], 2, "cannot read /none"],
  [["init", "--key", "/none"], 2, "there is no key file /none"],
  [["organizations", "get", "--organization-id", NOBODY], 4, "no organization"],
  [["private-keys", "list", "--limit", "0"], 2, "--limit must be a whole number"],
  [["profile", "list", "--profile", "x"], 2, ""],
  [["profile", "remove", "nothing"], 2, "there is no profile nothing"],
  [["receipts", "compare", "/none", "/none"], 2, "/none"],
  [["receipts", "export", "/none/receipts.json"], 2, "/none/receipts.json"],
  [["users", "delete", NOBODY, "--yes"], 4, "user"],
  [["users", "list", "--organization-id", NOBODY], 4, "no organization"],
  [["wallets", "rename", NOBODY, "x"], 2, "wallet"],
])("%j is refused with %d", async (args, status, message) => {
  const ended = await person.run([...args, "--json"]);
  expect({ status: ended.status, text: ended.stdout + ended.stderr }).toEqual({
    status,
    text: expect.stringContaining(message),
  });
  // The parser of command lines has no form for programs.
  if (message !== "") expect(JSON.parse(ended.stdout).error.message).toContain(message);
});
