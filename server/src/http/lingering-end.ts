import type { Duplex } from "node:stream";

/**
 * Time for the caller to read the response. Closing at once would discard it if the caller sent more than was read.
 */
const LINGER_MS = 1_000;
/** How much is still read meanwhile, so that a caller that is almost done gets no reset. */
const LINGER_MAX_BYTES = 256 * 1024;

/**
 * Ends our side with this text, discards input for a moment, then closes. A caller that never closes its side must
 * not keep the connection open.
 */
export function lingeringEnd(socket: Duplex, text = ""): void {
  if (socket.writable) socket.end(text);
  socket.on("error", () => socket.destroy());
  socket.removeAllListeners("data");
  let leftBytes = LINGER_MAX_BYTES;
  socket.on("data", (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes <= 0) socket.pause();
  });
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
