import { packTar } from "modern-tar";
import { expect, test } from "vitest";
import { filesInTar } from "./files-in-tar.ts";

const text = (length: number) => new TextEncoder().encode("x".repeat(length));

async function archiveOf(files: { name: string; bytes?: number; type?: "symlink" }[]) {
  const entries = files.map(({ name, bytes, type }) =>
    bytes === undefined
      ? { header: { name, size: 0, type: type ?? ("directory" as const), linkname: "away" } }
      : { header: { name, size: bytes }, body: text(bytes) },
  );
  return Buffer.from(await packTar(entries));
}

function read(archive: Buffer) {
  return [...filesInTar(archive)].map(({ name, content }) => [name, content?.length ?? null]);
}

test("files and folders are found in their order, each with its own bytes", async () => {
  const archive = await archiveOf([
    { name: "base/" },
    { name: "base/empty", bytes: 0 },
    { name: "base/one", bytes: 1 },
    { name: "base/block", bytes: 512 },
    { name: "base/more", bytes: 513 },
  ]);
  expect(read(archive)).toEqual([
    ["base/", null],
    ["base/empty", 0],
    ["base/one", 1],
    ["base/block", 512],
    ["base/more", 513],
  ]);
  const contents = [...filesInTar(archive)].map(({ content }) => content && Buffer.from(content));
  expect(contents.at(-1)).toEqual(Buffer.from(text(513)));
});

test.each(["../away", "/etc/passwd", "base/../../away", "base/..", "./here", "back\\slash"])(
  "a file named %s is damage, because it may be elsewhere",
  async (name) => {
    const archive = await archiveOf([{ name, bytes: 1 }]);
    expect(() => read(archive)).toThrow("the archive is damaged at byte 0");
  },
);

test("a link is damage", async () => {
  const archive = await archiveOf([{ name: "base/" }, { name: "link", type: "symlink" }]);
  expect(() => read(archive)).toThrow("the archive is damaged at byte 512");
});

test("a name too long for its field is damage, and not another name", async () => {
  const archive = await archiveOf([{ name: `${"folder/".repeat(15)}file`, bytes: 1 }]);
  expect(() => read(archive)).toThrow("the archive is damaged at byte 0");
});

test("an archive that was cut short is damage, wherever that was", async () => {
  const archive = await archiveOf([{ name: "one", bytes: 600 }]);
  for (const length of [0, 100, 512, 1000, 1200, 512 + 1024]) {
    expect(() => read(archive.subarray(0, length))).toThrow("the archive is damaged");
  }
});
