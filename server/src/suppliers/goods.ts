/** What one unit turns into: a code, a link, or the receipt of a top-up. Bearer money: it lives inside a Secret. */
export type Goods =
  | { type: "code"; code: string; pin?: string; serial?: string; expiresAt?: string }
  | { type: "url"; url: string; pin?: string; serial?: string; expiresAt?: string }
  | { type: "topup"; receipt: string };

export type GoodsType = Goods["type"];

/** The bytes that are sealed. When it expires is no secret and stands beside them. */
export function encodeGoods(goods: Goods): Buffer {
  const { type: _type, ...content } = { ...goods, expiresAt: undefined };
  return Buffer.from(JSON.stringify(content));
}

/** What `encodeGoods` made, with its type and time of expiry from the row. */
export function decodeGoods(type: GoodsType, plain: Buffer, expiresAt: Date | null): Goods {
  const content = JSON.parse(plain.toString()) as object;
  return { type, ...content, ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}) } as Goods;
}

/** What tells one code from another. A receipt is no bearer money, and suppliers may repeat theirs. */
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
