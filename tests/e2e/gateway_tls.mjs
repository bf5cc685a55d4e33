// SPDX-License-Identifier: Apache-2.0
// A client over HTTPS, changed in nothing but its base URL: prints the text of
// a whole and of a streamed reply. Usage: node gateway_tls.mjs URL, beside
// node_modules, with NODE_EXTRA_CA_CERTS.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "sk-client",
                            maxRetries: 0 });
const request = { model: "small",
                  messages: [{ role: "user", content: "Say it." }] };
const whole = await client.chat.completions.create(request);
let streamed = "";
for await (const chunk of await client.chat.completions.create(
  { ...request, stream: true }))
  streamed += chunk.choices[0]?.delta?.content ?? "";
console.log(JSON.stringify([whole.choices[0].message.content, streamed]));
