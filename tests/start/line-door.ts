import { createServer } from "node:net";

// Takes the connections of a line, and gives them to its relay. It is stopped so that none begins.

const backlog = Number(process.argv[2]);

function listen(at: number): Promise<number> {
  // What arrives is for the relay, so none of it is read here.
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (near) => {
    process.send?.({ at }, near);
  });
  return new Promise((resolve) => {
    server.listen({ port: 0, host: "127.0.0.1", backlog }, () => {
      const address = server.address();
      resolve(address === null || typeof address === "string" ? 0 : address.port);
    });
  });
}

const ports = await Promise.all(
  Array.from({ length: Number(process.argv[3]) }, (_, at) => listen(at)),
);
process.send?.({ ports });
process.once("disconnect", () => process.exit());
