import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { isDatabaseUnavailable } from "../../db/database-errors.ts";
import { Problem } from "../../lib/problem.ts";
import type { BatchDecision, PlacementQueues } from "../placing/placement-batch.ts";
import { createOutbox, readFrames, writeFrame } from "./frames.ts";
import { type ForwardedDecision, forwardDecision, packReplies, type Reply } from "./reply-wire.ts";
import { type Submission, unpackSubmissions } from "./submission-wire.ts";
import { packGreeting } from "./wire-values.ts";

export type PlacementServer = { close(): Promise<void> };

/**
 * Takes placements from the other HTTP processes of this machine into the queues of this one, so that the orders of a busy
 * wallet stay in large batches. The folder of the socket must belong to the user of the server alone.
 */
export async function servePlacements(
  path: string,
  queues: PlacementQueues,
  onPlaced: () => void,
): Promise<PlacementServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // The other side decides by itself what has no answer.
    socket.on("error", () => socket.destroy());
    const reply = createOutbox<Reply>((replies) => sendReplies(socket, replies));
    readFrames(socket, (bytes) => {
      for (const submission of unpackSubmissions(bytes).submissions)
        void decide(queues, submission, onPlaced).then((decisions) =>
          reply({ id: submission.id, decisions }),
        );
    });
    // Nothing is sent here before this greeting was understood.
    writeFrame(socket, packGreeting());
  });
  // What a killed process left.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    // Once it listens, an error concerns one connection that could not be taken.
    server.on("error", reject);
    // Not shared with the other processes of a cluster.
    server.listen({ path, exclusive: true }, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function sendReplies(socket: Socket, replies: readonly Reply[]): void {
  if (!socket.writable) return;
  try {
    writeFrame(socket, packReplies(replies));
  } catch {
    // The other side must not wait for what cannot be said.
    socket.destroy();
  }
}

async function decide(
  queues: PlacementQueues,
  { isGroup, placements }: Submission,
  onPlaced: () => void,
): Promise<ForwardedDecision[]> {
  try {
    const [first] = placements;
    const decisions: readonly BatchDecision[] = isGroup
      ? await queues.submitGroup(placements)
      : first
        ? [await queues.submit(first)]
        : [];
    if (decisions.some(({ kind }) => kind === "placed")) onPlaced();
    return decisions.map(forwardDecision);
  } catch (error) {
    const forwarded = forwardFailure(error);
    return placements.map(() => forwarded);
  }
}

/** Too many orders, and a database that is away, are so for everyone. Anything else the other process finds out itself. */
function forwardFailure(error: unknown): ForwardedDecision {
  if (error instanceof Problem) return { kind: "problem", problem: error, isDecided: false };
  if (!isDatabaseUnavailable(error)) return { kind: "own" };
  const problem = new Problem("service_unavailable", "The service cannot reach its database at the moment.", {
    headers: { "retry-after": "1" },
  });
  return { kind: "problem", problem, isDecided: false };
}
