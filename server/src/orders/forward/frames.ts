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

/** Collects what is said in one turn of the event loop, to send it together. */
export function createOutbox<T>(send: (all: readonly T[]) => void): (one: T) => void {
  let waiting: T[] = [];
  return (one) => {
    if (waiting.push(one) > 1) return;
    setImmediate(() => {
      const all = waiting;
      waiting = [];
      send(all);
    });
  };
}
