import type { CatalogChange, Product } from "../../types/catalog.js";
export declare const product: import("../shapes.js").Shape<Product>;
export declare const catalogChange: import("../shapes.js").Shape<CatalogChange>;
