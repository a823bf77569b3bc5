import type { CatalogChange, CatalogProduct, Product } from "../../types/catalog.js";
export declare const product: import("../shapes.js").Shape<Product>;
export declare const catalogProduct: import("../shapes.js").Shape<CatalogProduct>;
export declare const catalogChange: import("../shapes.js").Shape<CatalogChange>;
