export declare function checkIdempotencyKey(key: string): string;
