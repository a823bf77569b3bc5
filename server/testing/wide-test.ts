import { type TestContext, test } from "node:test";
import { isWide } from "./full-size.ts";

type WideTest = (name: string, run: (t: TestContext) => Promise<void>) => void;

/** A test of what others cover in part, with processes of its own. It is run by `npm test -- --wide`, and so by CI. */
export const wideTest: WideTest = isWide() ? test : () => {};
