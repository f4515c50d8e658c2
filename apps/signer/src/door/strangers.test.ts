import { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createStrangers } from "./strangers.ts";

/** A connection that shows this address, as the kernel would. */
function from(remoteAddress: string): Socket {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: remoteAddress });
  onTestFinished(() => void socket.destroy());
  return socket;
}

test.each([
  ["64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2"],
  ["64:ff9b:1:abcd::192.0.2.1", "64:ff9b:1:abcd::192.0.2.2"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.2"],
])("a stranger at %s uses up nothing of a client at %s", (stranger, client) => {
  const { admit } = createStrangers(() => {});
  const admitted = Array.from({ length: 40 }, () => admit(from(stranger)));
  expect(admitted.filter((each) => each !== null).length).toBeLessThan(25);
  expect(admit(from(client))).not.toBeNull();
  // In whichever of its forms.
  expect(admit(from("192.0.2.1"))).toBeNull();
});
