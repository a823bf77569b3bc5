import type { Order, PlacedOrder, TimelineEntry } from "../../types/orders.js";
export declare const orderStatus: import("../shapes.js").Shape<import("../shapes.js").Open<"completed" | "failed" | "pending" | "processing" | "refunded">>;
export declare const placedOrder: import("../shapes.js").Shape<PlacedOrder>;
export declare const order: import("../shapes.js").Shape<Order>;
export declare const timelineEntry: import("../shapes.js").Shape<TimelineEntry>;
