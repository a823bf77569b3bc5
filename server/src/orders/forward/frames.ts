import type { Socket } from "node:net";

/** No message is so long: a batch of orders has some hundred kilobytes. */
const FRAME_MAX_BYTES = 64 * 1024 * 1024;
const LENGTH_BYTES = 4;

/** Calls back for each whole message. One that cannot be read is the end of the connection. */
export function readFrames(socket: Socket, onFrame: (bytes: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= LENGTH_BYTES) {
      const length = rest.readUInt32BE(0);
      if (length > FRAME_MAX_BYTES) {
        socket.destroy();
        return;
      }
      if (rest.length < LENGTH_BYTES + length) return;
      const frame = rest.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
      rest = rest.subarray(LENGTH_BYTES + length);
      try {
        onFrame(frame);
      } catch {
        socket.destroy();
        return;
      }
    }
  });
}

/** Length and message in one piece, so that neither side is woken for four bytes. */
export function writeFrame(socket: Socket, message: string): void {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + Buffer.byteLength(message));
  bytes.writeUInt32BE(bytes.length - LENGTH_BYTES);
  bytes.write(message, LENGTH_BYTES);
  socket.write(bytes);
}

/** How long a message waits for more to say. An order of a busy wallet takes ten times as long. */
export const HOLD_MS = 2;
/** As much as a batch takes. */
export const HELD_MAX = 128;

/**
 * Collects what is said in one turn of the event loop, to send it together. While the other process is busy it waits longer: a
 * message costs both processes as much as twenty orders in it, and what arrives there would wait anyway.
 */
export function createOutbox<T>(
  send: (all: readonly T[]) => void,
  isBusy: () => boolean = () => false,
): (one: T) => void {
  let waiting: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const all = waiting;
    waiting = [];
    if (all.length > 0) send(all);
  };
  return (one) => {
    const count = waiting.push(one);
    if (count === 1 && isBusy()) timer = setTimeout(flush, HOLD_MS);
    else if (count === 1 || (count === HELD_MAX && timer)) setImmediate(flush);
  };
}
