import { createServer } from "node:http";

const keyhearth = process.env.KEYHEARTH_URL;

createServer(async (_, response) => {
  const known = await fetch(`${keyhearth}/.well-known/keyhearth.json`);
  const { version } = await known.json();
  response.setHeader("content-type", "text/html");
  response.end(`<!doctype html><title>App</title><h1>Keyhearth ${version}</h1>`);
}).listen(3101, "localhost");
