import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { test } from "node:test";
import { Problem } from "../../lib/problem.ts";
import { readUpload, UPLOAD_MAX_BYTES } from "./read-upload.ts";

const TYPE = "multipart/form-data; boundary=b";
const send = (body: string | Iterable<Buffer>, type = TYPE) =>
  readUpload(Readable.from(typeof body === "string" ? [Buffer.from(body)] : body) as IncomingMessage, type);
const part = (name: string, value: string, file?: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"\r\ncontent-type: text/csv`}\r\n\r\n${value}\r\n`;

test("fields come as text and files as bytes; a file that nobody chose is none", async () => {
  const body = `${part("a", "1")}${part("a", "2\r\n3")}${part("file", "x\r\ny\0", "../../etc/passwd")}${part("none", "", "")}--b--\r\n`;
  const { fields, files } = await send(body);
  assert.deepEqual([...fields], [["a", ["1", "2\n3"]]]);
  assert.deepEqual([...files.keys()], ["file"]);
  assert.equal(Buffer.from(files.get("file") ?? []).toString(), "x\r\ny\0");
});

test("what cannot be read is refused, and so is a file that is too large", async () => {
  const refusedAs = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
  await assert.rejects(send("nonsense"), refusedAs("invalid_request"));
  await assert.rejects(send(part("a", "1"), "multipart/form-data"), refusedAs("invalid_request"));
  const many = Array.from({ length: 501 }, (_, number) => part(`f${number}`, "")).join("");
  await assert.rejects(send(`${many}--b--\r\n`), refusedAs("invalid_request"));
  const chunk = Buffer.alloc(1024 * 1024);
  const tooMany = Array.from({ length: UPLOAD_MAX_BYTES / chunk.length + 1 }, () => chunk);
  await assert.rejects(send(tooMany), refusedAs("payload_too_large"));
});
