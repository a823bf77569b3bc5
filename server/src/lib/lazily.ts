/** A value that is made when it is first asked for. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A function that is made at its first call. */
export function lazily<Args extends unknown[], Result>(
  make: () => (...args: Args) => Result,
): (...args: Args) => Result {
  const made = once(make);
  return (...args) => made()(...args);
}
