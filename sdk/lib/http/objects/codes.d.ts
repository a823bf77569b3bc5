import type { DeliveredCode, EncryptionKey } from "../../types/codes.js";
export declare const deliveredCode: import("../shapes.js").Shape<DeliveredCode>;
export declare const encryptionKey: import("../shapes.js").Shape<EncryptionKey>;
