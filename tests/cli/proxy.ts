import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/**
 * Answers instead of the service. An object with `result` becomes the activity of the request, and one with `status`
 * the error of this status. With `lost`, the service has the request, and nobody its answer.
 */
type Lie = (path: string) => object | "lost" | undefined;

/** A host between the command and the service. It passes on what it does not answer itself. */
export async function startProxy(target: string, lie: Lie) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const { url: path = "", method = "GET", headers } = request;
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      paths.push(path);
      const body = Buffer.concat(chunks);
      const own = lie(path);
      if (own !== undefined && own !== "lost") {
        const status = "status" in own ? Number(own.status) : 200;
        response.writeHead(status, { "Content-Type": "application/json" });
        response.end(JSON.stringify("result" in own ? activityOf(body, own.result) : own));
        return;
      }
      const { host: _, connection: _1, "content-length": _2, ...others } = headers;
      const answer = await fetch(target + path, {
        method,
        headers: Object.fromEntries(
          Object.entries(others).map(([name, value]) => [name, `${value}`]),
        ),
        ...(method === "POST" && { body }),
      });
      if (own === "lost") {
        await answer.arrayBuffer();
        response.destroy();
        return;
      }
      response.writeHead(answer.status, {
        "Content-Type": answer.headers.get("content-type") ?? "text/plain",
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  afterAll(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, close };
}

function activityOf(body: Buffer, result: unknown) {
  const { organizationId, type } = JSON.parse(body.toString());
  const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`;
  return {
    activity: {
      ...{ id: "11111111-1111-4111-8111-111111111111", organizationId, type, fingerprint, result },
      ...{ status: "ACTIVITY_STATUS_COMPLETED", votes: [], intent: {} },
    },
  };
}
