import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { MAX_AHEAD, oneAtATime } from "./connections.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: keyhearth.test\r\n\r\n";

test("of a connection that is cut, no more is parsed, and no request costs a stack trace", async () => {
  const requests: IncomingMessage[] = [];
  const work = oneAtATime(() => {
    // None is answered, so that all of the chunk waits.
  });
  const server = createServer((request, response) => {
    requests.push(request);
    work(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(REQUEST.repeat(10 * MAX_AHEAD));
  await once(socket, "close");
  await new Promise(setImmediate);
  server.close();
  const stacks = requests.map(({ errored }) => errored?.stack ?? "");
  // The first is worked on, and the last is the reason.
  expect(stacks.length).toBe(MAX_AHEAD + 2);
  expect(stacks.filter((stack) => /aborted/.test(stack)).length).toBe(stacks.length);
  expect(stacks.filter((stack) => /\n\s+at /.test(stack))).toEqual([]);
  expect(new Error("later").stack).toMatch(/\n\s+at /);
});
