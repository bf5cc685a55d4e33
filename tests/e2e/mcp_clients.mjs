// SPDX-License-Identifier: Apache-2.0
// The clients of the Model Context Protocol's own SDK use `surety mcp`:
// mcp_clients.mjs SURETY FOLDER, where FOLDER has their packages. Each writes
// what it got as a line of JSON.
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const [surety, folder] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const load = name => import(pathToFileURL(require.resolve(name)));

async function use(name, Client, Transport, options, request) {
  const client = new Client({name: "test", version: "1"}, options);
  await client.connect(new Transport({command: surety, args: ["mcp"]}));
  const extract = reply =>
    client.callTool({name: "extract", arguments: {reply}});
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  const never = {name: "extract", arguments: {file: "never"}};
  const cancelled = await request(client, never, {signal: stop.signal})
    .then(() => false, () => true);
  const value = (await extract('so: {"a": 1}')).structuredContent.value;
  const refused = (await client.callTool(
    {name: "check", arguments: {}})).isError;
  const code = await client.callTool({name: "nothing", arguments: {}})
    .then(() => 0, error => error.code);
  const tools = (await client.listTools()).tools.map(tool => tool.name);
  const version = client.getNegotiatedProtocolVersion?.() ??
    client.transport?._protocolVersion ?? "2025-11-25";
  console.log(JSON.stringify({client: name, version, tools, value, refused,
    code, cancelled}));
  await client.close();
}

const {Client: First} = await load("@modelcontextprotocol/sdk/client/index.js");
const {StdioClientTransport: Pipe} =
  await load("@modelcontextprotocol/sdk/client/stdio.js");
await use("sdk", First, Pipe, {},
  (client, params, options) => client.callTool(params, undefined, options));

const {Client} = await load("@modelcontextprotocol/client");
const {StdioClientTransport} = await load("@modelcontextprotocol/client/stdio");
for (const [name, mode] of [["legacy", "legacy"], ["auto", "auto"],
  ["pinned", {pin: "2026-07-28"}]])
  await use("client " + name, Client, StdioClientTransport,
    {versionNegotiation: {mode}},
    (client, params, options) => client.callTool(params, options));
