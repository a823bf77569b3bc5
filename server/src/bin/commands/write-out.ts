import { once } from "node:events";

/** Writes to standard output, and waits while the reader is slower. */
export async function writeOut(chunk: string): Promise<void> {
  if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
}
