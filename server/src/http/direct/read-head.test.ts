import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { sizeFor } from "../../../testing/full-size.ts";
import { exchange } from "../../../testing/fuzz/raw-http.ts";
import { createRandom, type Random, SEED } from "../../../testing/seed.ts";
import { readHead } from "./read-head.ts";

const REQUESTS = sizeFor("fuzz", { share: 400, full: 20_000 });

type Seen = { method: string; url: string; headers: object; body: string };
const seen = new Map<string, Seen>();
const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false }, (request, reply) => {
  void bodyOf(request).then((body) => {
    const { method = "", url = "", headers } = request;
    seen.set(String(headers["x-number"]), { method, url, headers: { ...headers }, body });
    reply.end();
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => new Promise((resolve) => server.close(resolve)));

const PIECES = [
  "\r\n",
  "\n",
  "\r",
  " ",
  "\t",
  ":",
  ",",
  "\0",
  "ä",
  "/",
  "?",
  "&",
  "=",
  "%41",
  "#",
  ";",
  "\\",
];
const LINES = [
  "Transfer-Encoding: chunked",
  "Content-Length: 3",
  "content-length: 03",
  "Content-Length : 3",
  "Connection: close",
  "Connection: keep-alive",
  "Expect: 100-continue",
  "Host: other",
  "X-A:",
  "X-A: \t b",
  "X-A:b",
  " folded",
  "Accept: */*, text/html;q=0.5",
];

/** A plain request that was changed in up to three places. */
function changed(random: Random, number: number): Buffer {
  const posts = random.chance(0.5);
  const body = posts ? "{}{}".slice(0, 1 + random.below(4)) : "";
  const lines = [
    `${posts ? "POST" : "GET"} ${random.pick(["/v1/orders", "/v1/catalog?limit=5&cursor=a", "/v1/products/a.b:c"])} HTTP/1.1`,
    "Host: localhost",
    `X-Number: ${number}`,
    ...(posts ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
  ];
  for (let left = random.below(3); left > 0; left -= 1)
    lines.splice(1 + random.below(lines.length), 0, random.pick(LINES));
  let text = `${lines.join("\r\n")}\r\n\r\n${body}`;
  for (let left = random.below(3); left > 0; left -= 1) {
    const at = random.below(text.length);
    text = text.slice(0, at) + random.pick(PIECES) + text.slice(at + random.below(2));
  }
  return Buffer.from(text, "latin1");
}

test(`whatever is read directly, Node.js reads in the same way: ${REQUESTS} requests (SEED=${SEED})`, async () => {
  const { port } = server.address() as AddressInfo;
  let read = 0;
  for (let number = 0; number < REQUESTS; number += 1) {
    const bytes = changed(createRandom(SEED + number), number);
    const head = readHead(bytes);
    if (!head || bytes.length < head.bodyEnd) continue;
    read += 1;
    const whole = bytes.subarray(0, head.bodyEnd);
    await exchange(port, whole, { methods: [head.method], quietMs: 200 });
    assert.deepEqual(
      seen.get(String(head.headers["x-number"])),
      {
        method: head.method,
        url: head.url,
        headers: { ...head.headers },
        body: bytes.toString("latin1", head.bodyStart, head.bodyEnd),
      },
      JSON.stringify(whole.toString("latin1")),
    );
  }
  assert.ok(read > REQUESTS / 20 && read < REQUESTS, `${read} of ${REQUESTS} were plain`);
});

test("a body is read up to the limit, and heads up to theirs", () => {
  const post = (length: string): Buffer =>
    Buffer.from(
      `POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
  assert.equal(readHead(post("65536"))?.bodyEnd, post("65536").length + 65_536);
  for (const length of ["65537", "0", "-1", "+1", "1e3", "", "1 2", "0x10"])
    assert.equal(readHead(post(length)), undefined, length);
  const long = (bytes: number): Buffer =>
    Buffer.from(`GET /v1/catalog HTTP/1.1\r\nHost: a\r\nX-Long: ${"a".repeat(bytes)}\r\n\r\n`);
  assert.ok(readHead(long(4_000)));
  assert.equal(readHead(long(8_200)), undefined);
});
