/** Each caller waits for the others. When all have arrived, one call serves them all, each with its own result. */
export function createRendezvous<Given, Got>(
  count: number,
  act: (given: Given[]) => Promise<Got[]>,
): (given: Given) => Promise<Got> {
  let given: Given[] = [];
  let served = Promise.withResolvers<Got[]>();
  return async (own) => {
    const { promise, resolve } = served;
    const place = given.push(own) - 1;
    if (given.length === count) {
      resolve(act(given));
      given = [];
      served = Promise.withResolvers();
    }
    return (await promise)[place] as Got;
  };
}
