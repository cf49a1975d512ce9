// SPDX-License-Identifier: MIT
// Drives `assay mcp` with the protocol's own client library: node client.mjs SDK PROGRAM FOLDER. Prints what it saw, as JSON.
import { pathToFileURL } from "node:url";
import path from "node:path";

const [sdk, program, folder] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(sdk, "dist/esm/client", file)).href);
const { Client } = await load("index.js");
const { StdioClientTransport } = await load("stdio.js");

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", folder], env: process.env }));
const { tools } = await client.listTools();
const call = (name, ...words) => client.callTool({ name, arguments: { arguments: words } }, undefined, { timeout: 240000 });
const seen = {
  server: client.getServerVersion().name,
  tools: tools.map((tool) => tool.name),
  doctor: await call("doctor"),
  check: await call("check", "kernel", "--shape", "N=513", "--device", "vgpu:l4"),
  outside: await call("check", ".."),
};
await client.close();
console.log(JSON.stringify(seen));
