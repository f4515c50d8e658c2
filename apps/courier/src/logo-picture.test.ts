import { Worker } from "node:worker_threads";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import sharp from "sharp";
import { beforeEach, expect, test, vi } from "vitest";
import { createLogos } from "./logo.ts";
import { MAX_LOGO_BYTES } from "./logo-form.ts";
import { fitLogo } from "./logo-picture.ts";
import { chunk, png } from "./png.testing.ts";

const REFUSAL = "a logo is a PNG of at most 1 MiB and 4 megapixels";
const ADDRESS = "https://example.com/logo.png";

/** Where a test is about something else than time, on a machine that is busy. */
const PATIENT_MS = 30_000;

// Starting the thread takes longest, and a mail waits two seconds.
beforeEach(async () => void (await fitLogo(png({ width: 1, height: 1 }), PATIENT_MS)));

const logoOf = (bytes: Uint8Array) => createLogos({ fetch: async () => bytes }).find(ADDRESS);

test("a PNG of four megapixels with 8 bits a channel is a logo, and so is one of few colors", async () => {
  for (const picture of [
    png({ width: 2000, height: 2000 }),
    png({ width: 4096, height: 976 }),
    await sharp({ create: { width: 90, height: 90, channels: 3, background: "red" } })
      .png({ palette: true })
      .toBuffer(),
  ]) {
    expect(await logoOf(picture)).not.toBeNull();
  }
});

test.each([
  ["has 16 bits a channel", { width: 40, height: 40, bits: 16 }],
  ["is interlaced", { width: 40, height: 40, isInterlaced: true }],
  ["has more than four megapixels", { width: 2001, height: 2000 }],
  ["is wider than 4,096 pixels", { width: 4097, height: 9 }],
  ["is higher than 4,096 pixels", { width: 9, height: 4097 }],
])("a picture that %s is left out, and the error says what is accepted", async (_, form) => {
  await expect(fitLogo(png(form))).rejects.toThrow(REFUSAL);
  expect(await logoOf(png(form))).toBeNull();
});

test("texts and profiles of a picture are not unpacked", async () => {
  const text = Buffer.concat([Buffer.from("k\0\0"), deflateSync(Buffer.alloc(7_900_000, 97))]);
  const bomb = png({ width: 4, height: 4, texts: Array(100).fill(chunk("zTXt", text)) });
  const before = process.resourceUsage().maxRSS;
  expect(await logoOf(bomb)).not.toBeNull();
  // In kilobytes. The texts have 790 MB.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(200_000);
});

test("chunks that leave the file are no picture", async () => {
  const picture = png({ width: 4, height: 4 });
  for (const length of [picture.length, 0x7fffffff, 0xffffffff]) {
    const changed = Buffer.from(picture);
    changed.writeUInt32BE(length, picture.indexOf("IDAT") - 4);
    expect(await logoOf(changed)).toBeNull();
  }
  for (let end = 0; end < picture.length - 12; end += 1) {
    expect(await logoOf(picture.subarray(0, end))).toBeNull();
  }
});

test("one picture is decoded at a time", async () => {
  const picture = png({ width: 2000, height: 2000 });
  const logos = createLogos({ fetch: async () => picture });
  const found = Promise.all(Array.from({ length: 8 }, (_, i) => logos.find(`${ADDRESS}?${i}`)));
  const most = await mostDecodings(found);
  expect(most).toBe(1);
  // A busy machine may not come to all of them within the time of a mail.
  expect((await found).some((logo) => logo !== null)).toBe(true);
});

test("a picture that comes when its mail has left is not decoded", async () => {
  const picture = png({ width: 2000, height: 2000 });
  const coming = new Promise<Buffer>((resolve) => setTimeout(resolve, 2300, picture));
  const logos = createLogos({ fetch: () => coming });
  expect(await logos.find(ADDRESS)).toBeNull();
  expect(await mostDecodings(coming.then(() => new Promise((done) => setTimeout(done, 200))))).toBe(
    0,
  );
});

/** The most pictures that threads worked on at once until `end`. */
async function mostDecodings(end: Promise<unknown>): Promise<number> {
  let most = 0;
  let count = 0;
  const post = Worker.prototype.postMessage;
  const spy = vi.spyOn(Worker.prototype, "postMessage");
  spy.mockImplementation(function (this: Worker, ...parameters) {
    count += 1;
    most = Math.max(most, count);
    this.once("message", () => {
      count -= 1;
    });
    post.apply(this, parameters);
  });
  await end;
  spy.mockRestore();
  return most;
}

test("a bomb is refused before it takes memory", async () => {
  // A gigabyte, which is never whole here either.
  const part = deflateRawSync(Buffer.alloc(10_000_000), { finishFlush: constants.Z_FULL_FLUSH });
  const pixels = Buffer.concat([Buffer.from("789c", "hex"), ...Array(100).fill(part)]);
  expect(pixels.length).toBeLessThan(MAX_LOGO_BYTES);
  const before = process.resourceUsage().maxRSS;
  await expect(fitLogo(png({ width: 10, height: 10, pixels }), PATIENT_MS)).rejects.toThrow(
    REFUSAL,
  );
  // In kilobytes.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(100_000);
});

test("a picture that takes too long is given up, and the next one is a logo", async () => {
  await expect(fitLogo(png({ width: 2000, height: 2000 }), 1)).rejects.toThrow(REFUSAL);
  expect(await fitLogo(png({ width: 9, height: 9 }), PATIENT_MS)).toBeInstanceOf(Buffer);
});

test("four megapixels do not hold up the thread that sends messages", async () => {
  // With the filter that takes the longest.
  const rows = Buffer.alloc(8001 * 2000, 4);
  const picture = png({ width: 2000, height: 2000, rows });
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  await fitLogo(picture, PATIENT_MS);
  // Processor time, in microseconds: beside other work, a thread also waits for its turn.
  const spent = process.cpuUsage(all).user;
  const held = process.threadCpuUsage(own).user;
  expect(spent).toBeGreaterThan(10_000);
  // Without a thread that decodes, it would be nearly all.
  expect(held).toBeLessThan(spent / 3);
});

test("the bytes of other memory do not go with a logo", async () => {
  const { buffer, length } = await fitLogo(png({ width: 1, height: 1 }));
  expect(buffer.byteLength).toBe(length);
});
