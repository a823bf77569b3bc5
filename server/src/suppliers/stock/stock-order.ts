import sql from "sql-template-tag";

/**
 * The order of the index of the stock, for codes `c` of one product that are counted or looked for up to a limit. Without it
 * PostgreSQL reads the table of codes from its beginning, because it expects to find enough of them soon: where a product has none it
 * reads every code, and again for the next product.
 */
export const inStockOrder = sql`order by c.product_id, c.supplier_id, c.expires_at, c.id`;
