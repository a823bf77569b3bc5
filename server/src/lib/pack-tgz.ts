import { crc32 } from "node:zlib";

export type PackedFile = { path: string; body: Buffer };

/** The modification time that npm gives to every packed file. */
const MODIFIED_AT_SECONDS = 499_162_500;
const BLOCK_BYTES = 512;
const FILE_MODE = 0o644;

/**
 * A reproducible .tgz: the same bytes on every machine, so its integrity hash is stable. It is stored uncompressed
 * because compressor output differs between versions and processors.
 */
export const packTgz = (files: readonly PackedFile[]): Buffer => storeAsGzip(packTar(files));

function packTar(files: readonly PackedFile[]): Buffer {
  const parts = files.flatMap(({ path, body }) => [tarHeader(path, body.length), body, padding(body.length)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]);
}

/** POSIX ustar. Names of up to 100 characters are enough here. */
function tarHeader(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tar archive`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(path, 0);
  header.write(octal(FILE_MODE, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(MODIFIED_AT_SECONDS, 11), 136);
  // The checksum is computed with its own field set to spaces.
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");

const padding = (size: number): Buffer => Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);

const STORED_BLOCK_MAX_BYTES = 0xffff;
/** Deflate, no flags, no time, no extra flags, system unknown (RFC 1952). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** Gzip with stored blocks only (RFC 1951, 3.2.4). */
function storeAsGzip(body: Buffer): Buffer {
  const parts: Buffer[] = [GZIP_HEADER];
  for (let start = 0; start < body.length; start += STORED_BLOCK_MAX_BYTES) {
    const block = body.subarray(start, start + STORED_BLOCK_MAX_BYTES);
    const header = Buffer.alloc(5);
    header.writeUInt8(start + block.length === body.length ? 1 : 0, 0);
    header.writeUInt16LE(block.length, 1);
    header.writeUInt16LE(~block.length & 0xffff, 3);
    parts.push(header, block);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(body), 0);
  trailer.writeUInt32LE(body.length % 2 ** 32, 4);
  return Buffer.concat([...parts, trailer]);
}
