import type { Deposit, WalletEntry } from "../../types/wallet.js";
export declare const walletEntry: import("../shapes.js").Shape<WalletEntry>;
export declare const deposit: import("../shapes.js").Shape<Deposit>;
