import type { Duplex } from "node:stream";

/** Time for the caller to read the answer. Closing at once would throw it away when more was sent than we read. */
const LINGER_MS = 1_000;
/** As much as is still read meanwhile, so that a caller who was nearly done sees no reset. */
const LINGER_MAX_BYTES = 256 * 1024;

/**
 * Ends our side with this text, reads on for a moment, then closes: who does not close theirs must not hold the
 * connection. What is read is thrown away and no longer taken for requests.
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
