/** The shape of a response, as data. `check` reads it, and a test compares it with the OpenAPI document. */
export type Shape<T> = Described & {
    /** Never set: it ties the shape to the type that it describes. */
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
/** Exactly the members of the type: the compiler keeps types and shapes together. */
export type Members<T> = {
    readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Shape<T[K]>;
};
/** A word from a list that later versions of the API can extend. Editors suggest the known ones. */
export type Open<Word extends string> = Word | (string & Record<never, never>);
/** A response that does not match the API. The message names the place and never the value. */
export declare class ShapeError extends Error {
}
export declare const text: Shape<string>;
export declare const flag: Shape<boolean>;
/** An integer from 0. */
export declare const count: Shape<number>;
export declare const integer: Shape<number>;
/** Strings by names that come from the response, so an error never quotes the names. */
export declare const texts: Shape<Record<string, string>>;
export declare const wordOf: <Word extends string>(words: readonly Word[]) => Shape<Open<Word>>;
export declare const list: <T>(item: Shape<T>) => Shape<T[]>;
export declare const optional: <T>(shape: Shape<T>) => Optional<T>;
export declare const object: <T>(members: Members<T>) => Shape<T>;
/** Additional members are accepted: later versions of the API can add some. */
export declare function readAs<T>(shape: Shape<T>, body: unknown): T;
export declare const isRecord: (value: unknown) => value is Record<string, unknown>;
