/**
 * Goes on with a value: at once where it is there already, since a wait for what is there costs each request a turn of the queue. What
 * `next` throws then is thrown, not a rejection.
 */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value)
