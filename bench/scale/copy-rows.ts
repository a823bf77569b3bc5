import { once } from "node:events";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { createRowWriter, type RowWriter } from "./row-writer.ts";

/** What one message to the server holds: enough that the calls do not count. */
const MESSAGE_BYTES = 256 * 1024;
/** No row of ours is longer. */
const ROW_BYTES_MAX = 4 * 1024;

type CopyConnection = {
  stream: Duplex;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

/**
 * Sends rows in the binary form of `copy … from stdin`. `write` writes the row of each number from 0 on, with its own beginning
 * (`writer.row`).
 */
export async function copyRows(
  client: pg.Client,
  statement: string,
  count: number,
  write: (writer: RowWriter, n: number) => void,
): Promise<void> {
  let hasEnded = false;
  await new Promise<void>((resolve, reject) => {
    const query = new pg.Query({ text: statement }, (error) => {
      hasEnded = true;
      if (error) reject(error);
      else resolve();
    });
    const send = async (connection: CopyConnection): Promise<void> => {
      const writer = createRowWriter(MESSAGE_BYTES + ROW_BYTES_MAX);
      writer.begin();
      for (let n = 0; n < count && !hasEnded; ) {
        for (; n < count && writer.length() < MESSAGE_BYTES; n += 1) write(writer, n);
        connection.sendCopyFromChunk(writer.take());
        if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
        // A server that reads as fast as we write would keep all others waiting.
        await nextTurn();
      }
      writer.end();
      connection.sendCopyFromChunk(writer.take());
      connection.endCopyFrom();
    };
    const handleCopyInResponse = (connection: CopyConnection): void => {
      send(connection).catch((error: unknown) => connection.sendCopyFail(String(error)));
    };
    client.query(Object.assign(query, { handleCopyInResponse }));
  });
}
