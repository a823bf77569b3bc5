import { gzipSync } from "node:zlib";
import { once } from "../../src/lib/lazily.ts";
import type { Answer } from "./https-receiver.ts";

/** 200 and done. */
export const ok: Answer = (response) => void response.end("thanks");

export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = ""): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export const redirectTo = (location: string, status = 302): Answer => answerWith(status, { location });

/** Accepts the request and never responds. */
export const hang: Answer = () => {};

export const reset: Answer = (_response, { connection }) => void connection?.resetAndDestroy();

/** Closes the connection cleanly without a response. */
export const hangUp: Answer = (response) => void response.socket?.end();

/** 64 MB compressed to 64 kB, for clients that decompress what they read. Compressed once, before it is needed. */
export function gzipBomb(status: number): Answer {
  const bomb = packBomb();
  return (response) => void response.writeHead(status, { "content-encoding": "gzip" }).end(bomb);
}

/** As much body as the other side accepts. */
export const endlessBody =
  (status: number): Answer =>
  (response) => {
    response.writeHead(status);
    const more = () => {
      while (!response.destroyed && response.write(FILLER));
    };
    response.on("drain", more);
    more();
  };

/** Headers and an endless slow body: each step is fast, and there is no last one. */
export const drippedBody: Answer = (response) => {
  response.writeHead(200);
  drip(response, () => response.write("."));
};

export const drippedHeaders: Answer = (response) => {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\n");
  drip(response, (count) => socket?.write(`x-${count}: .\r\n`));
};

/** Endless interim responses. */
export const interimFlood: Answer = (response) => {
  const { socket } = response;
  drip(response, () => socket?.write("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".repeat(50)));
};

export const hugeHeaders: Answer = (response) =>
  void response.socket?.write(`HTTP/1.1 200 OK\r\nx-filler: ${"a".repeat(1_000_000)}\r\n\r\n`);

/** Bytes that are not HTTP. */
export const nonsense: Answer = (response) => void response.socket?.end("220 smtp.example ESMTP\r\n");

/** Two responses at once, for a client that takes the second as the response to the next request. */
export const secondAnswer: Answer = (response) => {
  const one = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`;
  response.socket?.write(one("500 Internal Server Error") + one("200 OK"));
};

/** Switches to a protocol that was not requested. */
export const switchProtocols: Answer = (response) =>
  void response.socket?.write(
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
  );

/** For the first who needs it: that takes longer than most test files do. */
const packBomb = once(() => gzipSync(Buffer.alloc(64 * 1024 * 1024)));
const FILLER = Buffer.alloc(64 * 1024, "a");
const DRIP_EVERY_MS = 5;

function drip(response: Parameters<Answer>[0], one: (count: number) => void): void {
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    if (response.socket?.writable) one(count);
  }, DRIP_EVERY_MS);
  response.socket?.on("close", () => clearInterval(timer));
}
