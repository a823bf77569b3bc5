/** What one unit delivers: a code, a link, or the receipt of a top-up. It is bearer money, so it is kept in a Secret. */
export type Goods =
  | { type: "code"; code: string; pin?: string; serial?: string; expiresAt?: string }
  | { type: "url"; url: string; pin?: string; serial?: string; expiresAt?: string }
  | { type: "topup"; receipt: string };

export type GoodsType = Goods["type"];

/** The bytes that are sealed. The expiry time is not secret and is stored beside them. */
export function encodeGoods(goods: Goods): Buffer {
  const { type: _type, ...content } = { ...goods, expiresAt: undefined };
  return Buffer.from(JSON.stringify(content));
}

/** What `encodeGoods` made, with its type and time of expiry from the row. */
export function decodeGoods(type: GoodsType, plain: Buffer, expiresAt: Date | null): Goods {
  const content = JSON.parse(plain.toString()) as object;
  return { type, ...content, ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}) } as Goods;
}

/** What identifies a code. A receipt is not bearer money, and suppliers can repeat theirs. */
export function identityOf(goods: Goods): string | undefined {
  switch (goods.type) {
    case "code":
      return goods.code;
    case "url":
      return goods.url;
    case "topup":
      return undefined;
  }
}
