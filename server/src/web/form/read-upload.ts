import type { IncomingMessage } from "node:http";
import { Problem } from "../../lib/problem.ts";
import { FIELD_NAME_MAX_CHARACTERS, FORM_FIELDS_MAX, type FormBody } from "./parse-form-body.ts";

/** Files by the names of their fields. An empty file field has none. */
export type Uploads = ReadonlyMap<string, Uint8Array>;

/** One file and the fields beside it. It is read into memory as a whole. */
export const UPLOAD_MAX_BYTES = 64 * 1024 * 1024;
/** Boundaries, headers and fields beside the file. */
const FORM_ALLOWANCE_BYTES = 64 * 1024;

/** Reads `multipart/form-data`: text fields as of any other form, and files as bytes. */
export async function readUpload(
  payload: IncomingMessage,
  contentType: string,
): Promise<{ fields: FormBody; files: Uploads }> {
  const body = await collect(payload);
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData().catch(() => {
    throw new Problem("invalid_request", "The form could not be read. Send it again.");
  });
  const fields = new Map<string, string[]>();
  const files = new Map<string, Uint8Array>();
  let count = 0;
  for (const [name, value] of form) {
    count += 1;
    if (count > FORM_FIELDS_MAX || name.length > FIELD_NAME_MAX_CHARACTERS)
      throw new Problem("invalid_request", "The form has too many fields.");
    if (typeof value === "string")
      fields.set(name, [...(fields.get(name) ?? []), value.replaceAll("\r\n", "\n")]);
    else if (value.size > 0) files.set(name, new Uint8Array(await value.arrayBuffer()));
  }
  return { fields, files };
}

async function collect(payload: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > UPLOAD_MAX_BYTES + FORM_ALLOWANCE_BYTES)
      throw new Problem(
        "payload_too_large",
        `The file is larger than ${UPLOAD_MAX_BYTES / 1024 / 1024} MiB. Split it, or use the command.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
