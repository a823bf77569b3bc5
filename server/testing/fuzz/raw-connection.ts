import { connect, type Socket } from "node:net";
import { parseReplies, type RawReply } from "./raw-http.ts";

/** A connection that is kept open between requests, like a client's. */
export type RawConnection = {
  /** Rejects if the server closes without a response, sends invalid HTTP, or does not respond. */
  send(bytes: Uint8Array, method: string): Promise<RawReply>;
  destroy(): void;
};

/** Opens on first use, and again after the server has closed it. */
export function createRawConnection(port: number, deadlineMs: number): RawConnection {
  let socket: Socket | undefined;
  return {
    async send(bytes, method) {
      if (!socket || socket.destroyed || socket.readableEnded) socket = connect(port, "127.0.0.1");
      const reply = await ask(socket, bytes, method, deadlineMs);
      if (reply.headers.connection !== "keep-alive") socket.destroy();
      return reply;
    },
    destroy: () => socket?.destroy(),
  };
}

function ask(socket: Socket, bytes: Uint8Array, method: string, deadlineMs: number): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const end = (settle: () => void) => {
      clearTimeout(deadline);
      socket.removeAllListeners();
      // Anything that arrives on an idle connection is an error for its next user.
      socket.on("error", () => {});
      settle();
    };
    const fail = (message: string) =>
      end(() => {
        socket.destroy();
        reject(new Error(message));
      });
    const deadline = setTimeout(fail, deadlineMs, `no response for ${deadlineMs} ms`);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        const { replies, rest } = parseReplies(received, [method], false);
        const [reply, second] = replies;
        if (!reply) return;
        if (second || rest > 0) fail(`more than one response: ${received.toString("latin1").slice(-300)}`);
        else end(() => resolve(reply));
      } catch (error) {
        fail((error as Error).message);
      }
    });
    // The server can close before it has read all of a request that it refused.
    socket.on("error", () => {});
    socket.on("close", () => fail("closed without a response"));
    socket.write(bytes);
  });
}
