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

/** Takes the request and says nothing, ever. */
export const hang: Answer = () => {};

export const reset: Answer = (_response, { connection }) => void connection?.resetAndDestroy();

/** Ends the connection in good order, without an answer. */
export const hangUp: Answer = (response) => void response.socket?.end();

/** Sixty-four megabytes in sixty-four kilobytes, for whoever unpacks what it reads. Packed before anybody waits for it. */
export function gzipBomb(status: number): Answer {
  const bomb = packBomb();
  return (response) => void response.writeHead(status, { "content-encoding": "gzip" }).end(bomb);
}

/** As much body as the other side takes. */
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

/** Headers and a body that never ends, a little at a time: each step is quick, and there is no last one. */
export const drippedBody: Answer = (response) => {
  response.writeHead(200);
  drip(response, () => response.write("."));
};

export const drippedHeaders: Answer = (response) => {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\n");
  drip(response, (count) => socket?.write(`x-${count}: .\r\n`));
};

/** Interim answers without end. */
export const interimFlood: Answer = (response) => {
  const { socket } = response;
  drip(response, () => socket?.write("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".repeat(50)));
};

export const hugeHeaders: Answer = (response) =>
  void response.socket?.write(`HTTP/1.1 200 OK\r\nx-filler: ${"a".repeat(1_000_000)}\r\n\r\n`);

/** Other bytes than HTTP. */
export const nonsense: Answer = (response) => void response.socket?.end("220 smtp.example ESMTP\r\n");

/** Two answers at once, for a client that takes the second for the next request's. */
export const secondAnswer: Answer = (response) => {
  const one = (status: string) => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`;
  response.socket?.write(one("500 Internal Server Error") + one("200 OK"));
};

/** Switches to another protocol that nobody asked for. */
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
