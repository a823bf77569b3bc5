const FIRST_BYTES = 16 * 1024;

/**
 * The body, or undefined when it is larger than the limit. It grows one buffer: separate chunks of a single byte would take a
 * hundred times the size.
 */
export async function readBytes(response: Response, limitBytes: number): Promise<Uint8Array | undefined> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  let buffer = new Uint8Array(Math.min(FIRST_BYTES, limitBytes));
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return buffer.subarray(0, length);
    const needed = length + value.byteLength;
    if (needed > limitBytes) return undefined;
    if (needed > buffer.byteLength) buffer = grow(buffer, Math.min(limitBytes, Math.max(needed, 2 * length)));
    buffer.set(value, length);
    length = needed;
  }
}

function grow(buffer: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(buffer);
  return larger;
}
