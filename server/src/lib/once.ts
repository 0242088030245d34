/** Returns the function that does `make` when it is first called, and gives what it made from then on. */
export function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
