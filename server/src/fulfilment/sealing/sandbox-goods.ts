import { encodeGoods } from "../../suppliers/goods.ts";

/** What a sandbox code is sealed as. Anyone can compute it, so the plain code stays in its row. */
export const sandboxGoods = (testCode: string): Buffer => encodeGoods({ type: "code", code: testCode });
