/** What an answer must look like, as data: `check` reads it, and a test compares it with the API's own description. */
export type Shape<T> = Described & {
    /** Never there: it ties the shape to the type of what it describes. */
    readonly of?: T;
};
export type Described = {
    readonly kind: "text";
    readonly words?: readonly string[];
} | {
    readonly kind: "count" | "integer" | "flag" | "texts";
} | {
    readonly kind: "list";
    readonly item: Described;
} | {
    readonly kind: "object";
    readonly members: Readonly<Record<string, Described | Optional<unknown>>>;
};
export type Optional<T> = {
    readonly kind: "optional";
    readonly shape: Shape<T>;
};
/** Every member of the type, and no other: the compiler keeps types and shapes together. */
export type Members<T> = {
    readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Shape<T[K]>;
};
/** A word from a list that a later version of the API may lengthen. Editors offer the known ones. */
export type Open<Word extends string> = Word | (string & Record<never, never>);
/** Where an answer is not what the API promises. Its message names the place and nothing of what stands there. */
export declare class ShapeError extends Error {
}
export declare const text: Shape<string>;
export declare const flag: Shape<boolean>;
/** From 0 on. */
export declare const count: Shape<number>;
export declare const integer: Shape<number>;
/** Texts by names that are the answer's own words, so none of them is told in an error. */
export declare const texts: Shape<Record<string, string>>;
export declare const wordOf: <Word extends string>(words: readonly Word[]) => Shape<Open<Word>>;
export declare const list: <T>(item: Shape<T>) => Shape<T[]>;
export declare const optional: <T>(shape: Shape<T>) => Optional<T>;
export declare const object: <T>(members: Members<T>) => Shape<T>;
/** Further members are let through: a later version of the API may add some. */
export declare function readAs<T>(shape: Shape<T>, body: unknown): T;
export declare const isRecord: (value: unknown) => value is Record<string, unknown>;
