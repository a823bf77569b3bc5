export const MASTER_KEY_BYTES = 32;

/** A key in base64 or hex. Undefined if it is neither, or has another length. */
export function decodeMasterKey(text: string): Buffer | undefined {
  const encoding = /^[0-9a-fA-F]{64}$/.test(text)
    ? "hex"
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? "base64"
      : undefined;
  if (!encoding) return undefined;
  const key = Buffer.from(text, encoding);
  return key.length === MASTER_KEY_BYTES ? key : undefined;
}
