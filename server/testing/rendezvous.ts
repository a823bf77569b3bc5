/** Whoever comes waits for the others; when so many have come, all are served by one act, each with its own share. */
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
