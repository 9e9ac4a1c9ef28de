// @ts-check
/** A network that changed under a request (a container came, a cable went) is no answer: ask again, a moment later. */

const PAUSES_MS = [200, 800, 2000];

/**
 * @param {typeof fetch} get
 * @param {(run: () => void, ms: number) => any} later
 * @returns {typeof fetch} the same, for questions that may be asked twice; what the server answers is never asked again
 */
export function again(get, later = setTimeout) {
  return async (address, options) => {
    for (const ms of PAUSES_MS) {
      try {
        return await get(address, options);
      } catch (problem) {
        if (!(problem instanceof TypeError)) throw problem;
        await new Promise((done) => later(() => done(null), ms));
      }
    }
    return get(address, options);
  };
}
