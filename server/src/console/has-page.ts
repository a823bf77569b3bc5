import type { ConsoleContext } from "./session.ts";

/** Whether the person of this page has another one, by its registered path such as `/orders/:id`. Known once all are there. */
export type HasPage = (pattern: string, ctx: ConsoleContext) => boolean;
