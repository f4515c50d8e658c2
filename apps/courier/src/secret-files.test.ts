import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { courierSecrets, readSecretFiles } from "./secret-files.ts";
import { readCourierSettings } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhearth-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const path = join(mkdtempSync(join(folder, "secret-")), "file");
  writeFileSync(path, text);
  return path;
}

const read = (env: Record<string, string>) => readSecretFiles(env, courierSecrets);

test("a secret is read from a file, without the line feed at its end", () => {
  const url = "smtps://keyhearth:secret@mail.example.com";
  const env = read({ SMTP_URL_FILE: fileOf(`${url}\n`), KEYHEARTH_MAIL_FROM: "a@example.com" });
  expect(env).toEqual({ SMTP_URL: url, KEYHEARTH_MAIL_FROM: "a@example.com" });
  expect(readCourierSettings(env).smtp?.login?.pass.open()).toBe("secret");
});

test("other variables, and those without a file, stay as they are", () => {
  const env = { SMS_WEBHOOK_URL: "https://example.com", HOST_FILE: "/nowhere" };
  expect(read(env)).toEqual(env);
});

test.each([
  [
    "nothing",
    () => join(folder, "none"),
    "does not exist; write the secret into it, or correct the path",
  ],
  [
    "a directory",
    () => folder,
    "is a directory; remove it, and write the secret into a file there",
  ],
  ["an empty file", () => fileOf("\n"), "is empty; write the secret into it"],
  ["two lines", () => fileOf("a\nb\n"), "has several lines; write the secret into one"],
])("%s instead of a file is one sentence, which shows no secret", (_, pathOf, problem) => {
  const path = pathOf();
  expect(() => read({ SMTP_URL_FILE: path })).toThrow(
    `SMTP_URL_FILE is \`${path}\`, which ${problem}`,
  );
});

test.skipIf(process.getuid?.() === 0)("a file of another user is one sentence", () => {
  const path = fileOf("secret");
  chmodSync(path, 0o000);
  expect(() => read({ SMTP_URL_FILE: path })).toThrow(
    /which user \d+ may not read; change its owner/,
  );
});

test("both ways at once, and an empty path, are refused", () => {
  const both = { SMTP_URL: "smtp://a", SMTP_URL_FILE: "/b" };
  expect(() => read(both)).toThrow("SMTP_URL and SMTP_URL_FILE are both set; unset one of them");
  expect(() => read({ SMTP_URL_FILE: " " })).toThrow("SMTP_URL_FILE is set but empty");
});

test.runIf(process.getuid?.() === 0)(
  "a file that another user owns or may write is one sentence, and one of root is read",
  () => {
    const path = fileOf("smtp://a");
    for (const mode of [0o400, 0o440, 0o444]) {
      chmodSync(path, mode);
      expect(read({ SMTP_URL_FILE: path })).toEqual({ SMTP_URL: "smtp://a" });
    }
    chmodSync(path, 0o666);
    expect(() => read({ SMTP_URL_FILE: path })).toThrow(
      `SMTP_URL_FILE is \`${path}\`, which has mode 666, so others could change it; run: chmod go-w ${path}`,
    );
    chmodSync(path, 0o600);
    chownSync(path, 64_009, 64_009);
    expect(() => read({ SMTP_URL_FILE: path })).toThrow(/which belongs to user 64009, who could/);
  },
);
